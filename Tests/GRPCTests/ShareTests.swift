import EchoSupport
import HTTP2
import Memory
import NIOCore
import NIOEmbedded
import PeerSupport
import Protobuf
import Synchronization
import Testing

@testable import GRPC
@testable import GRPCWire

/// The bound on the memory of all connections: beyond it, the connections that hold the most lose
/// streams.
struct ShareTests {
    private static let acknowledgement = Frame(.settings, flags: Frame.acknowledgement)

    /// The first bytes of a client whose windows for streams are 0.
    private static let shut =
        Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
        + Frame(.settings, payload: [0, 4, 0, 0, 0, 0]).bytes + acknowledgement.bytes

    /// One of several clients on the same loop of a server.
    private final class Peer {
        let channel: EmbeddedChannel
        let connection: ServerConnection
        private var sent: [UInt8] = []

        init(of harness: Harness) throws {
            connection = try ServerConnection(loop: harness.loop) {}
            channel = EmbeddedChannel(handler: connection, loop: harness.eventLoop)
            try feed(ShareTests.shut)
        }

        deinit {
            _ = try? channel.finish(acceptAlreadyClosed: true)
        }

        func feed(_ bytes: [UInt8]) throws {
            try channel.writeInbound(ByteBuffer(bytes: bytes))
        }

        /// Asks for an answer of `bytes` bytes.
        func ask(_ id: UInt32, for bytes: Int) throws {
            let length = Array(Frame.bigEndian(UInt32(bytes)).dropFirst())
            try feed(
                Frame.headers(id, SessionPair.request("/test.Echo/Large"), end: false).bytes
                    + Frame.data(id, Harness.envelope(length), end: true).bytes)
        }

        /// Begins a request and sends `bytes` bytes of a longer message.
        func begin(_ id: UInt32, sending bytes: Int) throws {
            try feed(Frame.headers(id, SessionPair.request("/test.Echo/Unary"), end: false).bytes)
            var rest = [0, 0, 63, 255, 255] + [UInt8](repeating: 1, count: bytes)
            while !rest.isEmpty {
                try feed(Frame.data(id, Array(rest.prefix(16_000))).bytes)
                rest.removeFirst(min(16_000, rest.count))
            }
        }

        var frames: [Frame] {
            while let buffer = try? channel.readOutbound(as: ByteBuffer.self) {
                sent += Array(buffer.readableBytesView)
            }
            return Frame.read(sent)
        }

        /// The streams that were reset because of what they held.
        var reset: [UInt32] {
            frames.filter {
                $0.kind == .resetStream && $0.errorCode == ErrorCode.enhanceYourCalm.rawValue
            }.map(\.stream)
        }

        /// The streams that were answered with nothing but a status.
        var refused: [UInt32] {
            frames.filter { $0.kind == .headers && $0.flags & Frame.endStream != 0 }.map(\.stream)
        }

        var held: Int { connection.session.heldBytes }
    }

    @Test func whoLetsTheMostAnswersWaitLosesTheLargestOfThem() throws {
        let log = CapturedLog()
        let harness = try Harness(logger: log.logger) { $0.maxHeldBytes = 4 << 20 }
        let (greedy, modest) = (try Peer(of: harness), try Peer(of: harness))
        try modest.ask(1, for: 100_000)
        for number in 0..<5 { try greedy.ask(UInt32(2 * number + 1), for: 500_000) }
        try greedy.ask(101, for: 1_000_000)
        #expect(greedy.reset.isEmpty, "as long as there is room no connection is bounded")
        try greedy.ask(103, for: 500_000)
        #expect(greedy.reset == [101])
        #expect(modest.reset.isEmpty)
        #expect(harness.loop.streams.heldBytes <= (4 << 20) / 8 * 7)
        // The protocol violation is logged once.
        #expect(log.lines.count { $0.contains("too_large_share_of_memory") } == 1)
        // The modest client is still served, and so is the greedy one again.
        try modest.ask(3, for: 100_000)
        try greedy.ask(105, for: 100_000)
        #expect(modest.reset.isEmpty && greedy.reset == [101])
        harness.loop.checkInvariants()
    }

    @Test func whoComesLateLosesNothingThatOthersDoNot() throws {
        let harness = try Harness { $0.maxHeldBytes = 4 << 20 }
        let peers = try (0..<20).map { _ in try Peer(of: harness) }
        for number in 0..<40 {
            for peer in peers[..<19] { try peer.ask(UInt32(2 * number + 1), for: 60_000) }
        }
        let late = peers[19]
        try late.ask(1, for: 60_000)
        #expect(late.reset.isEmpty && late.refused.isEmpty)
        #expect(peers[..<19].allSatisfy { !$0.reset.isEmpty })
        #expect(harness.loop.streams.heldBytes <= 4 << 20)
        // No greedy client holds much more than another.
        let held = peers[..<19].map(\.held)
        #expect(held.max()! - held.min()! < 4 * 65_536)
    }

    @Test func halfARequestEndsWithAStatus() throws {
        let harness = try Harness { $0.maxHeldBytes = 1 << 20 }
        let (greedy, modest) = (try Peer(of: harness), try Peer(of: harness))
        try modest.begin(1, sending: 10_000)
        for number in 0..<9 { try greedy.begin(UInt32(2 * number + 1), sending: 100_000) }
        #expect(!greedy.refused.isEmpty)
        #expect(modest.refused.isEmpty)
        #expect(harness.loop.streams.heldBytes <= 1 << 20)
        harness.loop.checkInvariants()
    }

    @Test func theStatusSaysWhy() throws {
        let harness = try Harness { $0.maxHeldBytes = 1 << 20 }
        let half = [0, 0, 63, 255, 255] + [UInt8](repeating: 1, count: 100_000)
        let ids = try (0..<10).map { _ in
            let call = try harness.open("/test.Echo/Unary", body: half, end: false)
            try harness.exchange()
            return call.pointee.id
        }
        let ended = ids.filter { harness.answer($0).code != nil }
        #expect(!ended.isEmpty)
        for id in ended {
            #expect(harness.answer(id).code == "8")
            #expect(harness.answer(id).message?.contains("share of the server's memory") == true)
        }
    }

    @Test func streamsThatHoldNothingCountToo() throws {
        let harness = try Harness { $0.maxHeldBytes = 1 << 20 }
        let (greedy, modest) = (try Peer(of: harness), try Peer(of: harness))
        func watch(_ peer: Peer, _ id: UInt32) throws {
            let head = SessionPair.request("/test.Echo/Chat")
            try peer.feed(Frame.headers(id, head, end: false).bytes)
        }
        try watch(modest, 1)
        for number in 0..<1_000 { try watch(greedy, UInt32(2 * number + 1)) }
        #expect(!greedy.refused.isEmpty)
        #expect(modest.refused.isEmpty)
        #expect(greedy.connection.session.openStreams < 512)
        #expect(harness.loop.streams.heldBytes <= 1 << 20)
    }

    @Test func aConnectionThatReadsNothingIsClosed() throws {
        let harness = try Harness { $0.maxHeldBytes = 1 << 20 }
        let (greedy, modest) = (try Peer(of: harness), try Peer(of: harness))
        try modest.ask(1, for: 50_000)
        greedy.channel.isWritable = false
        greedy.channel.pipeline.fireChannelWritabilityChanged()
        for number in 0..<20 where harness.loop.connectionCount == 3 {
            try greedy.ask(UInt32(2 * number + 1), for: 65_000)
        }
        #expect(greedy.connection.closeFuture == nil)
        #expect(modest.connection.closeFuture != nil && modest.reset.isEmpty)
        #expect(harness.loop.connectionCount == 2, "the other one and the harness's own")
        harness.loop.checkInvariants()
    }

    @Test func requestsThatOthersWorkOnAreHeldUntilThatIsDone() throws {
        let harness = try Harness { $0.maxHeldBytes = 1 << 20 }
        let (greedy, modest) = (try Peer(of: harness), try Peer(of: harness))
        func work(_ peer: Peer, _ id: UInt32, _ bytes: Int) throws {
            var body = Harness.envelope([UInt8](repeating: 1, count: bytes))
            let head = SessionPair.request("/test.Echo/Work")
            try peer.feed(Frame.headers(id, head, end: false).bytes)
            while !body.isEmpty {
                let part = Array(body.prefix(16_000))
                body.removeFirst(part.count)
                try peer.feed(Frame.data(id, part, end: body.isEmpty).bytes)
            }
        }
        for number in 0..<5 { try work(greedy, UInt32(2 * number + 1), 190_000) }
        #expect(greedy.held >= 950_000)
        try work(greedy, 11, 200_000)
        // Requests that are worked on stay, and no further request of this client is taken.
        let waiting = harness.service.waiting.withLock { $0.count }
        #expect(waiting == 5)
        try work(greedy, 13, 10)
        #expect(greedy.refused.contains(13))
        try work(modest, 1, 10)
        #expect(modest.refused.isEmpty)
        let handles = harness.service.waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        CallHandle.resume(handles) { _, call in call.respond { $0.append([7]) } }
        harness.eventLoop.run()
        #expect(greedy.connection.assembling == 0)
        try work(greedy, 15, 10)
        #expect(!greedy.refused.contains(15))
        harness.loop.checkInvariants()
    }

    @Test func oneConnectionHasABoundOnTheRequestsThatOthersWorkOn() throws {
        let harness = try Harness()
        let fitting = CallLimits.assemblingBytes / 4_000_005
        for _ in 0..<fitting + 1 {
            _ = try harness.open(
                "/test.Echo/Work",
                body: Harness.envelope([UInt8](repeating: 1, count: 4_000_000)))
            try harness.exchange()
        }
        #expect(harness.answer(Int32(2 * fitting - 1)).code == nil)
        #expect(harness.answer(Int32(2 * fitting + 1)).code == "8")
        #expect(harness.connection.assembling <= CallLimits.assemblingBytes)
    }

    // MARK: Counting

    @Test func whatIsOverIsHeldNoMore() throws {
        let harness = try Harness()
        // The header blocks of these methods stay, and are known from now on: first their fields,
        // and then their compressed blocks, which are the same only when no other header block is
        // new.
        for _ in 0..<3 {
            for method in ["Large", "Unary", "Chat"] {
                _ = try harness.call("/test.Echo/\(method)", [0, 0, 0])
            }
        }
        let before = harness.loop.streams.heldBytes
        #expect(before <= 3 * 4_096)
        #expect(try harness.call("/test.Echo/Large", [3, 0, 0]).messages.first?.count == 196_608)
        _ = try harness.call("/test.Echo/Unary", [UInt8](repeating: 1, count: 300_000))
        _ = try harness.call("/test.Echo/Chat", [1])
        #expect(harness.loop.streams.heldBytes == before)
        // An open stream keeps no larger buffers than the pool keeps for the next stream.
        let chat = try harness.open(
            "/test.Echo/Chat", body: Harness.envelope([UInt8](repeating: 1, count: 300_000)),
            end: false)
        try harness.exchange()
        #expect(harness.answer(chat.pointee.id).messages.first?.count == 300_000)
        let kept = SessionLimits.streamBytes + 5 * SessionLimits.pooledBufferBytes
        #expect(harness.loop.streams.heldBytes - before <= kept)
        harness.client.reset(chat, .cancel)
        try harness.exchange()
        #expect(harness.loop.streams.heldBytes == before)
    }

    @Test func whatAConnectionHeldGoesWithIt() throws {
        let harness = try Harness()
        do {
            let peer = try Peer(of: harness)
            for number in 0..<5 { try peer.ask(UInt32(2 * number + 1), for: 100_000) }
            try peer.begin(21, sending: 50_000)
            #expect(peer.held > 550_000)
            peer.channel.pipeline.fireChannelInactive()
        }
        harness.eventLoop.run()
        #expect(harness.loop.streams.heldBytes == harness.connection.session.heldBytes)
    }

    // MARK: Several loops

    /// A loop without connections.
    private final class OneLoop {
        private var share: MemoryShare

        init(of budget: MemoryBudget, loops: Int = 1) {
            share = MemoryShare(budget, loops: loops)
        }

        var level: Int { share.level }
        func isExceeded(holding bytes: Int) -> Bool { share.isExceeded(holding: bytes) }
        func settle(_ held: [Int], of bytes: Int) -> Int { share.settle(held, of: bytes) }
        func settled(holding bytes: Int) { share.settled(holding: bytes) }
    }

    @Test func aLoopThatHoldsItsPartLeavesItToTheOthers() {
        let budget = MemoryBudget(limit: 8 << 20)
        let (small, large) = (OneLoop(of: budget, loops: 2), OneLoop(of: budget, loops: 2))
        #expect(!small.isExceeded(holding: 3 << 20))
        #expect(!large.isExceeded(holding: 5 << 20))
        #expect(budget.held == 8 << 20)
        #expect(large.isExceeded(holding: 6 << 20))
        #expect(!small.isExceeded(holding: 3 << 20))
        // Two MiB are too many, and an eighth must be free again.
        let level = large.settle([3 << 20, 3 << 20], of: 6 << 20)
        #expect(2 * level <= 4 << 20 && level > 1 << 20)
        large.settled(holding: 2 * level)
        #expect(budget.held == 3 << 20 + 2 * level)
        #expect(!large.isExceeded(holding: 2 * level))
        #expect(large.level == .max)
    }

    @Test func whatDoesNotGoAwayIsNotLookedForAtEachTurn() {
        let budget = MemoryBudget(limit: 8 << 20)
        let share = OneLoop(of: budget)
        #expect(share.isExceeded(holding: 9 << 20))
        _ = share.settle([1 << 20], of: 9 << 20)
        share.settled(holding: 9 << 20)
        #expect(!share.isExceeded(holding: 9 << 20))
        #expect(share.level < 1 << 20)
        #expect(!share.isExceeded(holding: 9 << 20 + 100_000))
        #expect(share.isExceeded(holding: 9 << 20 + (8 << 20) / CallLimits.memoryLooks))
        #expect(!share.isExceeded(holding: 7 << 20))
        #expect(share.level == .max)
    }

    @Test func aLimitThatFallsIsHeldAtTheNextLook() {
        let budget = MemoryBudget(limit: 8 << 20)
        let share = OneLoop(of: budget)
        #expect(!share.isExceeded(holding: 5 << 20))
        budget.limit = 4 << 20
        #expect(share.isExceeded(holding: 5 << 20))
        #expect(share.settle([5 << 20], of: 5 << 20) < 4 << 20)
        budget.limit = 16 << 20
        #expect(!share.isExceeded(holding: 9 << 20))
        #expect(share.level == .max)
    }

    @Test func littleThatChangesIsNotReported() {
        let budget = MemoryBudget(limit: 8 << 20)
        let share = OneLoop(of: budget)
        #expect(!share.isExceeded(holding: CallLimits.publishedBytes - 1))
        #expect(budget.held == 0)
        #expect(!share.isExceeded(holding: CallLimits.publishedBytes))
        #expect(budget.held == CallLimits.publishedBytes)
        #expect(!share.isExceeded(holding: 1))
        #expect(budget.held == CallLimits.publishedBytes)
        #expect(!share.isExceeded(holding: 0))
        #expect(budget.held == 0)
    }
}
