import EchoSupport
import HTTP2
import Memory
import NIOCore
import NIOEmbedded
import PeerSupport
import Protobuf
import RPC
import Synchronization
import Testing

@testable import GRPC
@testable import GRPCWire

/// The things that calls hold beyond their streams, and when they give them back.
struct HoldingTests {
    private static let acknowledgement = Frame(.settings, flags: Frame.acknowledgement)

    private static func ask(_ id: UInt32, _ path: String, _ body: [UInt8] = [1]) -> [UInt8] {
        Frame.headers(id, SessionPair.request(path), end: false).bytes
            + Frame.data(id, Harness.envelope(body), end: true).bytes
    }

    private static func begun(streams: UInt32) throws -> Harness {
        let harness = try Harness { $0.settings.concurrentStreams = streams }
        try harness.feed(Frame.preface + acknowledgement.bytes)
        return harness
    }

    private func refused(_ harness: Harness) -> [UInt32] {
        harness.frames.filter {
            $0.kind == .resetStream && $0.errorCode == ErrorCode.refusedStream.rawValue
        }.map(\.stream)
    }

    /// Begins work on `count` streams, and resets each of them.
    ///
    /// - Returns: The next stream's id.
    private func abandonWork(_ count: UInt32, _ harness: Harness) throws -> UInt32 {
        for number in 0..<count {
            try harness.feed(Self.ask(2 * number + 1, "/test.Echo/Work"))
            try harness.feed(Frame.reset(2 * number + 1).bytes)
        }
        return 2 * count + 1
    }

    /// Ends all work that calls began, and answers each call that is still open.
    private func finishWork(_ harness: Harness) {
        let handles = harness.service.waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        CallHandle.resume(handles) { _, call in call.respond { $0.append([7]) } }
        harness.eventLoop.run()
        harness.collect()
    }

    // MARK: Work

    @Test func row48HandlersThatRunAfterAResetCountAsStreams() throws {
        let harness = try Self.begun(streams: 4)
        var id = try abandonWork(4, harness)
        #expect(harness.connection.session.openStreams == 0)
        #expect(refused(harness).isEmpty)
        try harness.feed(Self.ask(id, "/test.Echo/Unary"))
        #expect(refused(harness) == [id])
        // Only finished work makes room.
        finishWork(harness)
        #expect(harness.connection.session.abandonedStreams == 0)
        id += 2
        try harness.feed(Self.ask(id, "/test.Echo/Unary"))
        #expect(refused(harness).count == 1)
        #expect(harness.frames.contains { $0.kind == .data && $0.stream == id })
    }

    @Test func row48WhoGoesOnAllTheSameLosesTheConnection() throws {
        let harness = try Self.begun(streams: 4)
        var id = try abandonWork(4, harness)
        for _ in 0...CallLimits.resetBurst where harness.loop.connectionCount > 0 {
            try harness.feed(Self.ask(id, "/test.Echo/Work"))
            id += 2
        }
        #expect(harness.lastGoAway?.errorCode == ErrorCode.enhanceYourCalm.rawValue)
        #expect(harness.lastGoAway?.debugText == "too_many_resets")
        #expect(harness.service.waiting.withLock { $0.count } == 4)
        // The connection is gone, so its work comes back and answers no call.
        finishWork(harness)
        harness.loop.checkInvariants()
        #expect(harness.loop.calls.allSatisfy { !$0.isInUse })
    }

    @Test func resetsThatAClientBringsAboutCountLikeItsOwn() throws {
        let harness = try Self.begun(streams: 100)
        var id: UInt32 = 1
        let most: [UInt8] = [0x7F, 0xFF, 0xFF, 0xFF]
        for _ in 0...CallLimits.resetBurst where harness.loop.connectionCount > 0 {
            // The window becomes larger than allowed, so our side resets the stream.
            try harness.feed(
                Frame.headers(id, SessionPair.request("/test.Echo/Collect"), end: false).bytes
                    + Frame(.windowUpdate, stream: id, payload: most).bytes)
            id += 2
        }
        #expect(harness.lastGoAway?.debugText == "too_many_resets")
    }

    @Test func workThatComesBackToAnotherCallInItsPlaceDoesNothing() throws {
        let harness = try Self.begun(streams: 4)
        try harness.feed(Self.ask(1, "/test.Echo/Work"))
        try harness.feed(Frame.reset(1).bytes)
        // The slot of the call is not used again while the work goes on.
        try harness.feed(Self.ask(3, "/test.Echo/Wait"))
        #expect(harness.loop.calls.count == 2)
        let work = harness.service.waiting.withLock { $0.removeFirst() }
        work.resume { _ in Issue.record("the call is gone") }
        harness.eventLoop.run()
        try harness.feed(Self.ask(5, "/test.Echo/Wait"))
        #expect(harness.loop.calls.count == 2)
    }

    // MARK: Time

    @Test func anAlarmRingsOnceWhenItsTimeComesAndOnlyForAnOpenCall() throws {
        let harness = try Harness()
        let calls = try (0..<2).map { _ in
            try harness.open("/test.Echo/Remind", body: Harness.envelope([]), end: false)
        }
        let ids = calls.map(\.pointee.id)
        try harness.exchange()
        harness.eventLoop.advanceTime(by: .milliseconds(999))
        try harness.exchange()
        #expect(harness.answer(ids[0]).messages.isEmpty)
        harness.eventLoop.advanceTime(by: .milliseconds(1))
        try harness.exchange()
        #expect(ids.map { harness.answer($0).messages } == [[[1]], [[1]]])
        // Another call takes the slot of the ended call, and the ended call's alarm does not reach
        // it.
        harness.client.finish(calls[1])
        try harness.exchange()
        let later = try harness.open("/test.Echo/Remind", end: false).pointee.id
        try harness.exchange()
        harness.eventLoop.advanceTime(by: .seconds(5))
        try harness.exchange()
        #expect(harness.answer(ids[0]).messages == [[1], [2]])
        #expect(harness.answer(ids[1]).messages == [[1]])
        #expect(harness.answer(later).messages.isEmpty)
    }

    // MARK: Usage

    private func calls(_ harness: Harness) -> Int {
        harness.service.usage.count(of: .calls)
    }

    @Test(
        arguments: [
            "reset", "cut", "deadline", "answer", "error", "server's end", "shutdown",
            "reset with work", "cut with work",
        ])
    func aSlotIsReleasedHoweverTheCallEnds(case name: String) throws {
        let harness = try Harness()
        let path = name.hasSuffix("work") ? "/test.Echo/HeldWork" : "/test.Echo/Held"
        let extra = name == "deadline" ? [("grpc-timeout", "1S")] : []
        let call = try harness.open(path, body: Harness.envelope([1]), extra: extra)
        let id = call.pointee.id
        try harness.exchange()
        #expect(calls(harness) == 1)
        switch name {
        case "reset", "reset with work":
            harness.client.reset(call, .cancel)
            try harness.exchange()
        case "cut", "cut with work": harness.channel.pipeline.fireChannelInactive()
        case "deadline":
            harness.eventLoop.advanceTime(by: .seconds(2))
            try harness.exchange()
            #expect(harness.answer(id).code == "4")
        case "answer": finishWork(harness)
        case "error", "server's end":
            let handle = try #require(harness.service.waiting.withLock { $0.first })
            handle.resume { call in
                call.finish(name == "error" ? Status(.aborted, "x") : Status(.unavailable, "y"))
            }
            harness.eventLoop.run()
        default: harness.loop.closeAll()
        }
        if name.hasSuffix("work") {
            // The work goes on, and until it comes back the call still counts.
            #expect(calls(harness) == 1)
            finishWork(harness)
        }
        #expect(calls(harness) == 0)
    }

    @Test func oneCallTooManyIsRefusedAndTakesNothing() throws {
        let harness = try Harness()
        for _ in 0..<2 { _ = try harness.open("/test.Echo/Held", body: Harness.envelope([])) }
        try harness.exchange()
        #expect(try harness.call("/test.Echo/Held").message == "own 2")
        #expect(calls(harness) == 2)
        finishWork(harness)
        #expect(calls(harness) == 0)
    }

    // MARK: Connections

    @Test func aConnectionCountsOnceForEachThatShowsItselfUntilItEnds() throws {
        let harness = try Harness()
        let connection = harness.connection
        let group = Usage()
        let callers = (0..<2).map { _ in Usage(in: group) }
        let bounds = Usage.Bounds(own: 1, group: 2)
        for _ in 0..<3 {
            for caller in callers { #expect(connection.show(caller, within: bounds) == nil) }
        }
        #expect(callers.map { $0.count(of: .connections) } == [1, 1])
        #expect(group.count(of: .connections) == 1)
        #expect(connection.isLastShown(ObjectIdentifier(callers[1])))
        let other = try Harness()
        guard case .own(1) = other.connection.show(callers[0], within: bounds) else {
            Issue.record("a second connection is one too many")
            return
        }
        #expect(group.count(of: .connections) == 1)
        harness.channel.pipeline.fireChannelInactive()
        #expect(group.count(of: .connections) == 0)
        #expect(callers.allSatisfy { $0.count(of: .connections) == 0 })
        #expect(other.connection.show(callers[0], within: bounds) == nil)
    }

    @Test func aConnectionOfSeveralKeysIsOneOfTheirApp() throws {
        let harness = try Harness()
        let group = Usage()
        let bounds = Usage.Bounds(own: 1, group: 1)
        let callers = (0..<3).map { _ in Usage(in: group) }
        for caller in callers { #expect(harness.connection.show(caller, within: bounds) == nil) }
        #expect(group.count(of: .connections) == 1)
        let other = try Harness()
        guard case .group(1) = other.connection.show(Usage(in: group), within: bounds) else {
            Issue.record("a second connection is one too many")
            return
        }
        harness.channel.pipeline.fireChannelInactive()
        #expect(group.count(of: .connections) == 0)
    }

    @Test func aConnectionOfManyCallersCountsForTheLastOnes() throws {
        let harness = try Harness()
        let bounds = Usage.Bounds(own: nil, group: nil)
        let callers = (0..<3 * CallLimits.callersPerConnection).map { _ in Usage() }
        for caller in callers { #expect(harness.connection.show(caller, within: bounds) == nil) }
        let counts = callers.map { $0.count(of: .connections) }
        let last = CallLimits.callersPerConnection
        #expect(counts.suffix(last).allSatisfy { $0 == 1 })
        #expect(counts.dropLast(last).allSatisfy { $0 == 0 })
        harness.channel.pipeline.fireChannelInactive()
        #expect(callers.allSatisfy { $0.count(of: .connections) == 0 })
    }

    // MARK: Addresses

    private func block(_ text: String) throws -> AddressBlock? {
        AddressBlock(try SocketAddress(ipAddress: text, port: 1))
    }

    @Test func connectionsAreCountedByAddressAndAltogether() throws {
        let counts = ConnectionCounts(limit: 5, addressLimit: 3)
        let now = NIODeadline.uptimeNanoseconds(0)
        let one = try block("10.0.0.1")
        for _ in 0..<3 { #expect(counts.add(from: one, at: now) == nil) }
        #expect(counts.add(from: one, at: now) == .tooManyOfAddress)
        #expect(counts.add(from: try block("10.0.0.2"), at: now) == nil)
        #expect(counts.add(from: nil, at: now) == nil)
        #expect(counts.add(from: try block("10.0.0.3"), at: now) == .tooMany)
        counts.remove(from: one)
        #expect(counts.add(from: one, at: now) == nil)
        #expect(counts.add(from: one, at: now) == .tooMany)
    }

    @Test func anAddressMakesSoManyConnectionsAtOnceAndSoManyASecond() throws {
        let counts = ConnectionCounts(limit: .max, addressLimit: nil, addressRate: 10)
        let burst = 10 * Int(CallLimits.connectionBurstSeconds)
        let (one, other) = (try block("2001:db8::1"), try block("10.0.0.1"))
        var now = NIODeadline.uptimeNanoseconds(1)
        func connect(_ count: Int, _ block: AddressBlock?) -> [ConnectionCounts.ConnectionRefusal?]
        {
            (0..<count).map { _ in counts.add(from: block, at: now) }.filter { $0 != nil }
        }
        #expect(connect(burst, one).isEmpty)
        // To end the earlier connections does not help.
        for _ in 0..<burst { counts.remove(from: one) }
        #expect(connect(3, one) == [.tooFastOfAddress, .tooFastOfAddress, .tooFastOfAddress])
        #expect(connect(2, try block("2001:db8::2")).count == 2, "another address of the same host")
        #expect(connect(burst, other).isEmpty)
        #expect(connect(3 * burst, nil).isEmpty, "a socket of the file system has no address")
        // A refused connection uses up nothing, so the next one is due after a tenth of a second.
        now = now + .milliseconds(100)
        #expect(connect(2, one) == [.tooFastOfAddress])
        now = now + .seconds(1)
        #expect(connect(11, one) == [.tooFastOfAddress])
        now = now + .hours(1)
        #expect(connect(burst + 1, one) == [.tooFastOfAddress])
    }

    @Test func boundsOfAddressesChangeForThoseThatComeLater() throws {
        let counts = ConnectionCounts(limit: .max, addressLimit: 2, addressRate: 1)
        let now = NIODeadline.uptimeNanoseconds(1)
        let one = try block("10.0.0.1")
        for _ in 0..<2 { #expect(counts.add(from: one, at: now) == nil) }
        #expect(counts.add(from: one, at: now) == .tooManyOfAddress)
        counts.apply(addressLimit: 3, addressRate: 1)
        #expect(counts.add(from: one, at: now) == nil)
        // The burst of four was used up, and the rate is the same.
        #expect(counts.add(from: one, at: now) == .tooFastOfAddress)
        counts.apply(addressLimit: 3, addressRate: nil)
        #expect(counts.add(from: one, at: now) == .tooManyOfAddress)
        counts.apply(addressLimit: nil, addressRate: nil)
        for _ in 0..<10 { #expect(counts.add(from: one, at: now) == nil) }
    }

    @Test func addressesThatComeNoMoreAreForgotten() throws {
        let counts = ConnectionCounts(limit: .max, addressLimit: nil, addressRate: 10)
        let most = CallLimits.rememberedAddresses
        for second in 0..<3 {
            for number in 0..<most {
                let text = "10.\(second).\(number >> 8).\(number & 255)"
                let time = NIODeadline.uptimeNanoseconds(UInt64(second) * 1_000_000_000)
                #expect(counts.add(from: try block(text), at: time) == nil)
                #expect(counts.addresses <= most)
            }
        }
    }

    @Test func manyAddressesThatComeAtOnceAreAllRemembered() throws {
        let counts = ConnectionCounts(limit: .max, addressLimit: nil, addressRate: 1)
        let most = 3 * CallLimits.rememberedAddresses
        let now = NIODeadline.uptimeNanoseconds(0)
        for number in 0..<most {
            let text = "10.0.\(number >> 8).\(number & 255)"
            _ = counts.add(from: try block(text), at: now)
        }
        #expect(counts.addresses == most)
    }

    @Test func anAddressIsOneHost() throws {
        #expect(try block("10.0.0.1") != block("10.0.0.2"))
        #expect(try block("10.0.0.1") == block("::ffff:10.0.0.1"))
        #expect(try block("2001:db8:0:1::1") == block("2001:db8:0:1:ffff::2"))
        #expect(try block("2001:db8:0:1::1") != block("2001:db8:0:2::1"))
        #expect(AddressBlock(try SocketAddress(unixDomainSocketPath: "/tmp/x")) == nil)
    }
}
