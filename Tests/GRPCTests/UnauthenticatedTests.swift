import HTTP2
import Meters
import NIOCore
import NIOEmbedded
import PeerSupport
import Protobuf
import Synchronization
import Testing

@testable import GRPC
@testable import GRPCWire

/// Callers that show no credential: what their calls may keep.
struct UnauthenticatedTests {
    private static let watch = "/grpc.health.v1.Health/Watch"
    private static let check = "/grpc.health.v1.Health/Check"
    private static let noUser = Harness.envelope([])

    /// Metadata that no other call has, of some bytes.
    private func metadata(_ number: Int, _ bytes: Int = 8_000) -> [(String, String)] {
        [("x-pad", "\(number)" + String(repeating: "a", count: bytes))]
    }

    private func codes(_ harness: Harness, _ streams: [Int32]) -> [String: Int] {
        Dictionary(streams.map { (harness.answer($0).code ?? "open", 1) }, uniquingKeysWith: +)
    }

    @Test func watchesOfOneConnectionAreBoundedAndKeepNothingOfTheirMetadata() throws {
        let harness = try Harness { $0.settings.concurrentStreams = 1_000 }
        try harness.exchange()
        let before = harness.connection.session.heldBytes
        var streams: [Int32] = []
        for number in 0..<1_000 {
            let stream = try harness.open(
                Self.watch, body: Self.noUser, extra: metadata(number))
            streams.append(stream.pointee.id)
            try harness.exchange()
        }
        let most = CallLimits.unauthenticatedCallsPerConnection
        #expect(codes(harness, streams) == ["open": most, "8": 1_000 - most])
        #expect(harness.answer(streams[999]).message?.contains("this connection has 100") == true)
        #expect(harness.loop.unauthenticated.count == most)
        let held = harness.connection.session.heldBytes - before
        #expect(held < most * 4_096, "\(held) bytes")
        // Others go on, and so do calls that are answered at once.
        #expect(try harness.call("/test.Echo/Unary", [1]).code == "0")
        #expect(try harness.call(Self.check, body: Self.noUser, extra: []).code == "0")
    }

    @Test func aCallWithoutItsMessageKeepsNothingOfItsMetadataEither() throws {
        let harness = try Harness { $0.settings.concurrentStreams = 1_000 }
        try harness.exchange()
        let before = harness.connection.session.heldBytes
        for number in 0..<50 {
            for path in [Self.watch, Self.check] {
                _ = try harness.open(path, end: false, extra: metadata(number))
                try harness.exchange()
            }
        }
        #expect(harness.loop.unauthenticated.count == 100)
        let held = harness.connection.session.heldBytes - before
        #expect(held < 100 * 4_096, "\(held) bytes")
        let more = try harness.open(Self.check, end: false, extra: metadata(0))
        let id = more.pointee.id
        try harness.exchange()
        #expect(harness.answer(id).code == "8")
    }

    @Test func aCallThatEndsMakesRoom() throws {
        let harness = try Harness { $0.settings.concurrentStreams = 1_000 }
        var streams: [StreamPointer] = []
        for _ in 0..<CallLimits.unauthenticatedCallsPerConnection {
            streams.append(try harness.open(Self.watch, body: Self.noUser))
        }
        try harness.exchange()
        let last = try #require(streams.last)
        harness.client.reset(last, .cancel)
        try harness.exchange()
        #expect(
            harness.loop.unauthenticated.count == CallLimits.unauthenticatedCallsPerConnection - 1)
        #expect(try harness.call(Self.watch, body: Self.noUser).code == nil)
        #expect(try harness.call(Self.watch, body: Self.noUser).code == "8")
        // A connection gives back all that it has.
        harness.channel.pipeline.fireChannelInactive()
        #expect(harness.loop.unauthenticated.count == 0)
    }

    @Test func allConnectionsTogetherAreBounded() throws {
        let harness = try Harness()
        for _ in 0..<CallLimits.unauthenticatedCalls {
            let isTaken = harness.loop.unauthenticated.acquire()
            #expect(isTaken)
        }
        let refused = try harness.call(Self.watch, body: Self.noUser)
        #expect(refused.code == "8")
        #expect(refused.message?.contains("the server has 10000 calls open") == true)
        #expect(try harness.call(Self.check, body: Self.noUser).code == "0")
        harness.loop.unauthenticated.release()
        #expect(try harness.call(Self.watch, body: Self.noUser).code == nil)
        for _ in 1..<CallLimits.unauthenticatedCalls { harness.loop.unauthenticated.release() }
    }

    // MARK: The time of a call

    private final class Observer: CallObserver {
        private let times = Mutex<[(whole: Int64, own: Int64)]>([])

        var all: [(whole: Int64, own: Int64)] { times.withLock { $0 } }

        func ended(_ notes: CallNotes) {
            let (whole, own) = (notes.nanoseconds, notes.ownNanoseconds)
            times.withLock { $0.append((whole, own)) }
        }
    }

    @Test(arguments: [watch, check, "/test.Echo/Unary"])
    func timeThatTheClientTakesToSendIsNotTheServers(_ path: String) throws {
        let observer = Observer()
        let harness = try Harness { $0.observer = observer }
        let stream = try harness.open(path, body: [0, 0], end: false)
        try harness.exchange()
        harness.eventLoop.advanceTime(by: .seconds(30))
        try harness.send(stream, [0, 0, 0], end: true)
        if path == Self.watch {
            harness.eventLoop.advanceTime(by: .seconds(3))
            harness.client.reset(stream, .cancel)
            try harness.exchange()
        }
        let second: Int64 = 1_000_000_000
        #expect(observer.all.map(\.whole) == [path == Self.watch ? 33 * second : 30 * second])
        #expect(observer.all.map(\.own) == [path == Self.watch ? 3 * second : 0])
        #expect(harness.loop.meter.slow.calls(endedAfter: -1).allSatisfy { $0.nanoseconds == 0 })
    }

    @Test func aRequestThatNeverComesWholeTakesNoTimeOfTheServer() throws {
        let observer = Observer()
        let harness = try Harness { $0.observer = observer }
        for _ in 0..<3 { _ = try harness.open(Self.check, body: [0], end: false) }
        let left = try harness.open("/test.Echo/Unary", body: [0], end: false)
        try harness.exchange()
        harness.eventLoop.advanceTime(by: .seconds(20))
        harness.client.reset(left, .cancel)
        for _ in 0...(CallLimits.messageSeconds / CallLimits.sweepSeconds) {
            harness.eventLoop.advanceTime(by: .seconds(CallLimits.sweepSeconds))
            try harness.exchange()
        }
        #expect(observer.all.count == 4)
        #expect(observer.all.allSatisfy { $0.whole > 0 && $0.own == 0 })
        // They are counted all the same.
        let readings = (0..<harness.loop.methods.count).map { harness.loop.meter.latency($0) }
        #expect(readings.flatMap(\.counts).reduce(0, +) == 4)
        #expect(readings.map(\.sum).reduce(0, +) == 0)
    }
}
