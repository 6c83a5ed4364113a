import NIOCore
import NIOEmbedded
import RPC
import Testing

@testable import GRPCClient
@testable import GRPCWire

/// The calls of a client that wait for a stream.
struct WaitingCallsTests {
    private func full() throws -> ClientHarness {
        let harness = try ClientHarness(isAnswering: false) { $0.waitsForServer = true }
        for _ in 0..<CallLimits.waitingCalls { _ = harness.call() }
        #expect(harness.core.waiting.count == CallLimits.waitingCalls)
        return harness
    }

    @Test func aRefusalLooksAtNoCallThatWaits() throws {
        let harness = try full()
        let looks = harness.core.waiting.looks
        for _ in 0..<CallLimits.waitingCalls {
            let call = harness.call()
            #expect(call.end?.status.code == .resourceExhausted)
        }
        #expect(harness.core.waiting.looks == looks)
        #expect(harness.core.waiting.count == CallLimits.waitingCalls)
    }

    @Test func aCallLeavesWithoutALookAtTheOthers() throws {
        let harness = try ClientHarness(isAnswering: false) { $0.waitsForServer = true }
        var calls = (0..<CallLimits.waitingCalls).map { _ in harness.call() }
        let looks = harness.core.waiting.looks
        calls.shuffle()
        for (index, call) in calls.enumerated() {
            if index % 2 == 0 { call.cancel() } else { call.expire() }
        }
        #expect(harness.core.waiting.count == 0)
        #expect(harness.core.waiting.first == nil)
        #expect(harness.core.waiting.looks == looks)
    }

    private func waiting(_ harness: ClientHarness) -> [ObjectIdentifier] {
        var waiting = harness.core.waiting
        return waiting.calls { _ in true }.map(ObjectIdentifier.init)
    }

    @Test func callsThatLeaveKeepTheOrderOfTheOthers() throws {
        let harness = try ClientHarness(isAnswering: false) { $0.waitsForServer = true }
        let calls = (0..<100).map { _ in harness.call() }
        for index in calls.indices where index % 3 == 0 { calls[index].cancel() }
        let left = calls.indices.filter { $0 % 3 != 0 }.map { calls[$0] }
        #expect(waiting(harness) == left.map(ObjectIdentifier.init))
        // The first and the last leave too.
        left.first?.cancel()
        left.last?.cancel()
        #expect(waiting(harness) == left.dropFirst().dropLast().map(ObjectIdentifier.init))
        let last = harness.call()
        #expect(waiting(harness).last == ObjectIdentifier(last))
    }

    @Test func deadlinesOfCallsThatWaitEndThemInTheirOrder() throws {
        let harness = try ClientHarness(isAnswering: false) { $0.waitsForServer = true }
        let now = harness.eventLoop.now
        let calls = (1...100).reversed().map { seconds in
            let call = ClientCall(
                core: harness.core, path: "/test.Echo/Unary", metadata: [],
                deadline: Deadline(now + .milliseconds(Int64(seconds))))
            call.start()
            return call
        }
        harness.eventLoop.advanceTime(by: .milliseconds(40))
        #expect(calls.count { $0.end?.status.code == .deadlineExceeded } == 40)
        #expect(calls.prefix(60).allSatisfy { $0.end == nil })
        #expect(harness.core.waiting.count == 60)
    }

    @Test func aDeadlineThatHasPassedEndsACallAtOnce() throws {
        let harness = try ClientHarness()
        let call = ClientCall(
            core: harness.core, path: "/test.Echo/Unary", metadata: [],
            deadline: Deadline(harness.eventLoop.now - .seconds(1)))
        call.start()
        #expect(call.end?.status.code == .deadlineExceeded)
        #expect(harness.core.waiting.count == 0)
    }

    @Test func theEndOfAWaitTellsWhyThereWasNoServer() throws {
        let fleet = FleetHarness([.host("192.0.2.1", port: 7450)])
        fleet.acceptance["192.0.2.1"] = .closed
        let call = try fleet.call(
            waits: true, deadline: Deadline(fleet.eventLoop.now + .seconds(5)))
        try fleet.pass(.seconds(5))
        let status = try #require(call.end?.status)
        #expect(status.code == .deadlineExceeded)
        #expect(
            status.message
                == "the deadline has passed while the call waited for a server: cannot connect to "
                + "192.0.2.1:7450: Connection refused")
    }
}
