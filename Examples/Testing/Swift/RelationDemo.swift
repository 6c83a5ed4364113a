import Foundation
import FoundationNetworking
import RelationClient
import Testing

/// `relationd demo` as a test double: the server of production, which keeps nothing.
///
/// Copy this file beside your tests, and give a suite the trait `.relationDemo`. The program is
/// `RELATIOND` of the environment, or the one on the path.
struct RelationDemo: Sendable {
    /// A demo that ended before it was ready.
    struct StartError: Error {}

    /// The demo of the suite that runs; nil outside of one.
    @TaskLocal static var current: RelationDemo?

    /// The port for any client of gRPC, at 127.0.0.1.
    let port: Int
    private let clock: URL
    private let process: pid_t

    /// Starts a demo with these flags, or an empty one.
    init(_ flags: [String] = ["--empty"]) throws {
        let program = ProcessInfo.processInfo.environment["RELATIOND"] ?? "relationd"
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [program, "demo", "--port", "0"] + flags
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        var lines = ""
        while !lines.hasSuffix("\nready\n") {
            let piece = output.fileHandleForReading.availableData
            guard !piece.isEmpty else { throw StartError() }
            lines += String(decoding: piece, as: UTF8.self)
        }
        func value(of name: String) -> String? {
            let line = lines.split(separator: "\n").first { $0.hasPrefix(name) }
            return line.map { String($0.dropFirst(name.count)) }
        }
        guard let port = value(of: "listening on 127.0.0.1:").flatMap({ Int($0) }),
            let clock = value(of: "clock on ").flatMap({ URL(string: $0) })
        else { throw StartError() }
        self.port = port
        self.clock = clock
        self.process = process.processIdentifier
    }

    /// Ends the demo, with all that it holds.
    func stop() {
        kill(process, SIGTERM)
    }

    /// A client of an app that no other test sees.
    ///
    /// Users need no import there: the first call that names one makes it.
    func clientOfNewApp() async throws -> Client {
        let operators = Client(host: "127.0.0.1", port: port)
        let request = CreateAppRequest.with {
            $0.name = "test"
            $0.settings = .with { $0.makesAccountsImplicitly = true }
        }
        let app = try await operators.call(AppMethods.createApp, request).app
        await operators.close()
        var options = ClientOptions(port: port)
        options.appID = app?.appID
        return try Client(options)
    }

    /// Moves the clock of the server ahead.
    func advance(byMilliseconds milliseconds: Int) async throws {
        var request = URLRequest(url: clock)
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "content-type")
        request.httpBody = Data("{\"advance_ms\": \(milliseconds)}".utf8)
        let (_, answer) = try await URLSession.shared.data(for: request)
        try #require((answer as? HTTPURLResponse)?.statusCode == 200)
    }
}

/// Runs a suite beside a demo of its own.
struct RelationDemoTrait: SuiteTrait, TestScoping {
    func provideScope(
        for test: Test, testCase: Test.Case?, performing body: @Sendable () async throws -> Void
    ) async throws {
        let demo = try RelationDemo()
        defer { demo.stop() }
        try await RelationDemo.$current.withValue(demo) { try await body() }
    }
}

extension Trait where Self == RelationDemoTrait {
    static var relationDemo: Self { Self() }
}
