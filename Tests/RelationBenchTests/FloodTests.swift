import Glibc
import Testing

@testable import relationbench

/// The flood, and the child processes that it measures, against servers that share nothing with
/// ours.
@Suite(.serialized) struct FloodTests {
    private static let message = [UInt8]("a request of some bytes".utf8)

    /// The package's folder, from this file's own place in it.
    private static let root = #filePath.split(separator: "/").dropLast(3)
        .map { "/" + $0 }.joined()

    private static func echoServer() throws -> ServerProcess {
        let python = environment("RELATION_PYTHON") ?? root + "/.build-python/bin/python"
        return try ServerProcess(python, [root + "/Tests/Python/echo_server.py"])
    }

    private static func environment(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    private static func shell(_ script: String) throws -> ServerProcess {
        try ServerProcess("/bin/sh", ["-c", script], seconds: 10)
    }

    @Test func everyAnswerOfAnEchoIsCountedAsGood() throws {
        let server = try Self.echoServer()
        let long = [UInt8](repeating: 7, count: 30_000)
        let before = try server.usage()
        let report = try Flood(
            port: server.port, path: "/echo.Echo/Say", metadata: [("x-app-id", "1")],
            requests: [
                .init(message: Self.message, answer: Self.message),
                .init(message: [], answer: []),
                .init(message: long, answer: nil),
            ], load: Load(connections: 3, streams: 7), calls: 600
        ).run()
        #expect(report.calls == 600)
        #expect(report.failures == 0, "\(report.firstFailure ?? "")")
        #expect(report.answerBytes == 200 * (3 * 5 + Self.message.count + long.count))
        #expect(report.p50 > .zero && report.p50 <= report.p99)
        #expect(report.p99 <= report.highest)
        let after = try server.usage()
        #expect(after.cpuSeconds > before.cpuSeconds)
        #expect(after.residentBytes > 1 << 20)
        try server.stop()
    }

    @Test(arguments: [
        ("/echo.Echo/Say", "grpc-status", false), ("/echo.Echo/Refuse", "grpc-status 9", true),
        ("/echo.Echo/Unknown", "grpc-status 12", true),
    ])
    func anAnswerThatIsNotTheExpectedOneIsAFailure(
        path: String, reason: String, isStatus: Bool
    ) throws {
        let server = try Self.echoServer()
        var other = Self.message
        other[other.count - 1] ^= 1
        let report = try Flood(
            port: server.port, path: path,
            requests: [.init(message: Self.message, answer: other)],
            load: Load(connections: 2, streams: 3), calls: 50
        ).run()
        #expect(report.calls == 50)
        #expect(report.failures == 50)
        #expect(report.firstFailure?.contains(reason) == isStatus)
        try server.stop()
    }

    /// Otherwise the server would go on with the requests on them, beside the next measurement.
    @Test func aFloodLeavesNoConnectionOpen() throws {
        let server = try Self.echoServer()
        weak var connection: FloodConnection?
        do {
            let run = FloodRun(
                Flood(
                    port: server.port, path: "/echo.Echo/Say",
                    requests: [.init(message: Self.message, answer: nil)], calls: 10))
            #expect(try run.run().failures == 0)
            connection = run.connections.first
            #expect(connection != nil)
        }
        #expect(connection == nil)
        try server.stop()
    }

    @Test func aFloodAgainstNoServerIsAnError() throws {
        let server = try Self.echoServer()
        try server.stop()
        #expect(throws: FloodError.self) {
            try Flood(
                port: server.port, path: "/echo.Echo/Say",
                requests: [.init(message: [], answer: nil)], calls: 1
            ).run()
        }
    }

    @Test func aServerIsStartedOnItsProcessorAndStopped() throws {
        let server = try ServerProcess(
            "/bin/sh",
            [
                "-c",
                "trap 'exit 0' TERM; "
                    + "set -- $(grep Cpus_allowed_list /proc/$$/status); "
                    + "test $2 = 0 && echo listening on 127.0.0.1:4242; "
                    + "while :; do sleep 0.05; done",
            ], cores: [0], seconds: 10)
        #expect(server.port == 4242)
        try server.stop()
    }

    @Test func aServerHasNoneOfOurFiles() throws {
        let ours = open("/dev/null", O_RDONLY)
        defer { close(ours) }
        let server = try Self.shell(
            "trap 'exit 0' TERM; test -e /proc/$$/fd/\(ours) || echo listening on 127.0.0.1:1; "
                + "while :; do sleep 0.05; done")
        try server.stop()
    }

    @Test func aServerThatEndsBeforeItListensIsAnError() {
        #expect(throws: FloodError.self) { try Self.shell("echo something; exit 3") }
        #expect(throws: FloodError.self) { try ServerProcess("/no/such/server", []) }
    }

    @Test func aServerThatStopsBadlyIsAnError() throws {
        let server = try Self.shell(
            "trap 'exit 7' TERM; echo listening on 127.0.0.1:1; while :; do sleep 0.05; done")
        let error = #expect(throws: FloodError.self) { try server.stop() }
        #expect(error?.message.contains("7") == true)
    }

    @Test(
        arguments: [
            ("listening on 127.0.0.1:7450", 7450), ("listening on [::1]:80 insecure", 80),
            ("listening on nothing", nil), ("not listening on 127.0.0.1:1", nil),
            ("listening on 127.0.0.1:70000", nil),
        ] as [(String, UInt16?)])
    func thePortIsReadFromTheServersLine(line: String, port: UInt16?) {
        #expect(ServerProcess.port(in: line) == port)
    }
}
