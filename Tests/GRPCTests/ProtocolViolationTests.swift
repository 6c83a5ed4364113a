import HTTP2
import Logging
import NIOCore
import NIOEmbedded
import PeerSupport
import Testing

@testable import GRPC
@testable import GRPCWire

/// The log lines of protocol violations: one for each connection, and never too many.
struct ProtocolViolationTests {
    private static let acknowledgement = Frame(.settings, flags: Frame.acknowledgement)

    private static func many(_ frame: Frame, _ count: Int) -> [UInt8] {
        Array(repeating: frame.bytes, count: count).flatMap { $0 }
    }

    /// The name of a case, the bytes that the client sends, and the protocol violation in the log.
    private static let cases: [(String, [UInt8], String)] = [
        ("pings", many(.ping(), 50), "too_many_pings"),
        (
            "priorities",
            many(
                Frame(.priority, stream: 1, payload: [0, 0, 0, 0, 16]),
                SessionLimits.idleFrames + 10),
            "too_many_idle_frames"
        ),
        ("settings", many(Frame(.settings), 150), "too_many_settings"),
        (
            "continuations",
            Frame(.headers, stream: 1, payload: Frame.block(SessionPair.request())).bytes
                + many(Frame(.continuation, stream: 1), 50),
            "too_many_continuations"
        ),
        ("data", Frame.data(0, [1]).bytes + Frame.data(0, [1]).bytes, "protocol_error"),
        ("sizes", Frame(.ping, payload: [1]).bytes, "frame_size_error"),
        (
            "indexes", Frame(.headers, flags: 5, stream: 1, payload: [0xFF, 0xFF]).bytes,
            "compression_error"
        ),
        (
            "late data",
            Frame.headers(1, SessionPair.request()).bytes + Frame.data(1, [1]).bytes,
            "frame_after_end"
        ),
        (
            "old stream",
            Frame.headers(3, SessionPair.request()).bytes
                + Frame.headers(1, SessionPair.request()).bytes,
            "head_below_last_stream"
        ),
        (
            "large window",
            Frame.headers(1, SessionPair.request("/test.Echo/Collect"), end: false).bytes
                + Frame(.windowUpdate, stream: 1, payload: [0x7F, 0xFF, 0, 0]).bytes
                + Frame(.settings, payload: [0, 4, 0x7F, 0xFF, 0xFF, 0xFF]).bytes,
            "too_large_window"
        ),
    ]

    @Test(arguments: cases.map(\.0)) func eachViolationIsReportedOnce(case name: String) throws {
        let log = CapturedLog()
        let harness = try Harness(logger: log.logger)
        try harness.feed(Frame.preface + Self.acknowledgement.bytes)
        let (_, bytes, word) = try #require(Self.cases.first { $0.0 == name })
        try harness.feed(bytes)
        #expect(harness.loop.connectionCount == 0)
        #expect(log.lines.count == 1, "\(log.lines)")
        let line = try #require(log.lines.first)
        #expect(line.contains("notice a client violates the protocol"))
        #expect(line.contains("violation=\(word)"))
    }

    /// The system knows no address of a client that has gone.
    @Test func aClientThatHasGoneIsLoggedWithItsAddress() throws {
        let log = CapturedLog()
        let harness = try Harness(logger: log.logger)
        let channel = EmbeddedChannel(loop: harness.eventLoop)
        channel.remoteAddress = try SocketAddress(ipAddress: "192.0.2.7", port: 4_000)
        let connection = try ServerConnection(loop: harness.loop) {}
        try channel.pipeline.syncOperations.addHandler(connection)
        channel.remoteAddress = nil
        try channel.writeInbound(ByteBuffer(string: "SSH-2.0-OpenSSH_9.2\r\n"))
        _ = try? channel.finish(acceptAlreadyClosed: true)
        #expect(log.lines.map { $0.contains("peer=192.0.2.7:4000") } == [true], "\(log.lines)")
    }

    @Test func whatIsNoHTTP2IsReportedOnce() throws {
        let log = CapturedLog()
        let harness = try Harness(logger: log.logger)
        try harness.feed(Array("SSH-2.0-OpenSSH_9.2\r\n".utf8))
        #expect(log.lines.count == 1)
        #expect(log.lines.first?.contains("violation=not_http2") == true)
    }

    @Test func slowClientsAreLoggedOnce() throws {
        let log = CapturedLog()
        let slow = try Harness(logger: log.logger)
        try slow.feed(Array(Frame.preface.prefix(10)))
        slow.eventLoop.advanceTime(by: .seconds(2 * CallLimits.handshakeSeconds))
        #expect(log.lines.map { $0.contains("violation=slow_handshake") } == [true])

        let full = try Harness(logger: log.logger)
        try full.exchange()
        full.channel.isWritable = false
        full.channel.pipeline.fireChannelWritabilityChanged()
        full.eventLoop.advanceTime(by: .seconds(2 * CallLimits.stalledSeconds))
        #expect(log.lines.map { $0.contains("violation=unread_socket") } == [false, true])
    }

    /// The sweep comes late, as in a process that was stopped and goes on.
    @Test(arguments: ["PRI * HTTP", "GET / HTTP/1.1\r\nhost"])
    func aServerThatWasStoppedGivesItsClientsThatTime(beginning: String) throws {
        let log = CapturedLog()
        let harness = try Harness(logger: log.logger)
        try harness.feed(Array(beginning.utf8))
        let late = CallLimits.handshakeSeconds - 2
        harness.eventLoop.advanceTime(by: .seconds(late))
        harness.loop.sweep(dueAt: harness.eventLoop.now - .seconds(late))
        harness.eventLoop.advanceTime(by: .seconds(CallLimits.handshakeSeconds - 1))
        #expect(log.lines.isEmpty && harness.collect().isEmpty)
        harness.eventLoop.advanceTime(by: .seconds(CallLimits.sweepSeconds + 1))
        #expect(!log.lines.isEmpty || !harness.collect().isEmpty)
    }

    /// The process is stopped right after a sweep: the next one is late by the rest alone.
    @Test(arguments: ["PRI * HTTP", "GET / HTTP/1.1\r\nhost"])
    func aStopRightAfterASweepIsGivenBackWhole(beginning: String) throws {
        let log = CapturedLog()
        let stop = TimeAmount.milliseconds(9_900)
        func isEnded(late: TimeAmount) throws -> [Bool] {
            let harness = try Harness(logger: log.logger)
            let lines = log.lines.count
            try harness.feed(Array(beginning.utf8))
            harness.eventLoop.advanceTime(by: stop)
            harness.loop.sweep(dueAt: harness.eventLoop.now - late)
            return [CallLimits.handshakeSeconds - 1, CallLimits.sweepSeconds + 1].map {
                harness.eventLoop.advanceTime(by: .seconds($0))
                return log.lines.count > lines || !harness.collect().isEmpty
            }
        }
        let late = stop - .seconds(CallLimits.sweepSeconds)
        #expect(try isEnded(late: late) == [false, true])
        // A sweep that comes a little late shows no stop.
        let busy = TimeAmount.seconds(CallLimits.stopSeconds) - .nanoseconds(1)
        #expect(try isEnded(late: busy).first == true)
    }

    @Test func aBodyThatDoesNotComeIsReportedOnceForAllOfItsConnection() throws {
        let log = CapturedLog()
        let harness = try Harness(logger: log.logger)
        for _ in 0..<5 { _ = try harness.open("/test.Echo/Unary", body: [0], end: false) }
        try harness.exchange()
        for _ in 0...(CallLimits.messageSeconds / CallLimits.sweepSeconds) {
            harness.eventLoop.advanceTime(by: .seconds(CallLimits.sweepSeconds))
            try harness.exchange()
        }
        #expect(harness.answer(9).code == "4")
        #expect(log.lines.map { $0.contains("violation=slow_request") } == [true])
    }

    /// A GOAWAY of the client is not a protocol violation, even if its last stream is one of its
    /// own, as in Go's library.
    @Test(arguments: [0, 1, 3, UInt32(Int32.max)])
    func aClientThatGoesAwayIsNoLine(last: UInt32) throws {
        let log = CapturedLog()
        let harness = try Harness(logger: log.logger)
        #expect(try harness.call("/test.Echo/Unary", [1]).code == "0")
        try harness.feed(Frame(.goAway, payload: Frame.bigEndian(last) + [0, 0, 0, 0]).bytes)
        #expect(harness.lastGoAway == nil)
        harness.channel.pipeline.fireChannelInactive()
        #expect(harness.loop.connectionCount == 0)
        #expect(log.lines.isEmpty)
    }

    @Test func linesAreBoundedAndTheNextOneTellsHowManyWereLeftOut() throws {
        let log = CapturedLog()
        let bounded = BoundedLog(log.logger)
        let start = NIODeadline.uptimeNanoseconds(1_000_000_000_000)
        func report(_ count: Int, after seconds: Int64) {
            for _ in 0..<count {
                bounded.log(.notice, "x", at: start + .seconds(seconds), ["a": "b"])
            }
        }
        report(CallLimits.logBurst + 7, after: 0)
        #expect(log.lines.count == CallLimits.logBurst)
        #expect(Set(log.lines) == ["notice x a=b"])
        report(100, after: 1)
        #expect(log.lines.count == CallLimits.logBurst + CallLimits.logPerSecond)
        #expect(log.lines[CallLimits.logBurst] == "notice x a=b left_out=7")
        // A long silence earns the burst and no more.
        report(2 * CallLimits.logBurst, after: 1_000_000)
        #expect(log.lines.count == 2 * CallLimits.logBurst + CallLimits.logPerSecond)
        // A line that the logger does not write takes no room.
        for _ in 0..<1_000 { bounded.log(.debug, "y", at: start, [:]) }
        report(1, after: 1_000_001)
        let left = CallLimits.logBurst
        #expect(log.lines.last == "notice x a=b left_out=\(left)")
    }

    @Test func callsThatFailForReasonsOfOursAreBoundedToo() throws {
        let log = CapturedLog()
        let harness = try Harness(logger: log.logger)
        for _ in 0..<(CallLimits.logBurst + 20) {
            #expect(try harness.call("/test.Echo/NoAnswer").code == "13")
        }
        #expect(log.lines.count == CallLimits.logBurst)
        // Lines about protocol violations of clients have room of their own.
        try harness.feed(Array(repeating: Frame.ping().bytes, count: 9).flatMap { $0 })
        #expect(log.lines.last?.contains("too_many_pings") == true)
    }

    @Test func linesThatWereLeftOutAreReportedEvenIfNoLineFollows() throws {
        let log = CapturedLog()
        let bounded = BoundedLog(log.logger)
        let start = NIODeadline.uptimeNanoseconds(1_000_000_000_000)
        #expect(!bounded.summarize(at: start))
        for _ in 0..<CallLimits.logBurst + 7 { bounded.log(.notice, "x", at: start, [:]) }
        let patience = TimeAmount.seconds(CallLimits.logSummarySeconds)
        #expect(bounded.summarize(at: start + patience - .nanoseconds(1)))
        #expect(log.lines.count == CallLimits.logBurst)
        #expect(!bounded.summarize(at: start + patience))
        #expect(log.lines.last == "notice lines were left out left_out=7")
        #expect(!bounded.summarize(at: start + patience + patience))
        #expect(log.lines.count == CallLimits.logBurst + 1)
    }

    @Test func aLoopTellsOfLinesLeftOutThoughAllConnectionsAreGone() throws {
        let log = CapturedLog()
        let harness = try Harness(logger: log.logger)
        try harness.exchange()
        for _ in 0...CallLimits.logBurst {
            harness.loop.violationLog.log(.notice, "x", at: harness.eventLoop.now, [:])
        }
        harness.channel.pipeline.fireChannelInactive()
        #expect(harness.loop.connectionCount == 0)
        harness.eventLoop.advanceTime(
            by: .seconds(CallLimits.logSummarySeconds + CallLimits.sweepSeconds))
        #expect(log.lines.last == "notice lines were left out left_out=1")
    }
}
