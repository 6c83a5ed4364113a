import EchoSupport
import Memory
import Meters
import NIOCore
import NIOEmbedded
import Protobuf
import RPC
import Synchronization
import Testing

@testable import GRPC
@testable import GRPCWire

/// The counters of a loop: its calls and connections.
struct LoopMeterTests {
    private func row(_ path: String, _ harness: Harness) -> ServerReading.Method? {
        reading(of: harness).methods.first { $0.path == path }
    }

    private func reading(of harness: Harness) -> ServerReading {
        var reading = ServerReading()
        reading.methods = harness.loop.methods.entries.map { entry in
            var method = ServerReading.Method(path: entry.name)
            if entry.isTimed { method.latency = HistogramReading(.latency) }
            return method
        }
        reading.methods.append(ServerReading.Method(path: nil))
        reading.add(harness.loop.meter)
        return reading
    }

    @Test func aCallIsCountedByItsMethodAndCode() throws {
        let harness = try Harness()
        _ = try harness.call("/test.Echo/Unary", [1, 2, 3])
        _ = try harness.call("/test.Echo/Unary", [1])
        _ = try harness.call("/test.Echo/Fail", [9])
        let unary = try #require(row("/test.Echo/Unary", harness))
        #expect(unary.codes[0] == 2)
        #expect(unary.codes.reduce(0, +) == 2)
        #expect(unary.receivedBytes == 4)
        #expect(unary.sentBytes == 4)
        #expect(unary.sentMessages == 2)
        #expect(unary.openCalls == 0)
        #expect(row("/test.Echo/Fail", harness)?.codes[9] == 1)
    }

    @Test func aCallIsOpenUntilItHasEnded() throws {
        let harness = try Harness()
        _ = try harness.open("/test.Echo/Wait", body: Harness.envelope([]))
        try harness.exchange()
        #expect(row("/test.Echo/Wait", harness)?.openCalls == 1)
        harness.service.waiting.withLock { $0 }.first?.openCall?.finish(
            Status(.aborted, "enough"))
        try harness.exchange()
        #expect(row("/test.Echo/Wait", harness)?.openCalls == 0)
        #expect(row("/test.Echo/Wait", harness)?.codes[10] == 1)
    }

    @Test func theTimeOfACallEndsWhenItsAnswerIsWritten() throws {
        let harness = try Harness()
        // No request arrives at the time 0, which stands for one that has not come whole.
        harness.eventLoop.advanceTime(by: .milliseconds(1))
        _ = try harness.open("/test.Echo/Wait", body: Harness.envelope([]))
        try harness.exchange()
        harness.eventLoop.advanceTime(by: .milliseconds(30))
        harness.service.waiting.withLock { $0 }.first?.resume { $0.respond { $0.append([1]) } }
        try harness.exchange()
        let latency = try #require(row("/test.Echo/Wait", harness)?.latency)
        #expect(latency.count == 1)
        #expect(latency.sum == 30_000_000)
        #expect(latency.upperEnd(of: 1) == 50_000_000)
    }

    @Test func aCallOfStreamsHasNoTime() throws {
        let harness = try Harness()
        _ = try harness.call("/test.Echo/Collect", [1])
        let collect = try #require(row("/test.Echo/Collect", harness))
        #expect(collect.latency == nil)
        #expect(collect.codes.reduce(0, +) == 1)
    }

    @Test func requestsThatNameNoMethodShareARow() throws {
        let harness = try Harness()
        _ = try harness.call("/test.Echo/Nothing", [])
        _ = try harness.call("/other/Nothing", [])
        let none = try #require(reading(of: harness).methods.last)
        #expect(none.path == nil)
        #expect(none.codes[12] == 2)
        #expect(none.openCalls == 0)
    }

    @Test func aClientThatLeavesCancelsItsCalls() throws {
        let harness = try Harness()
        _ = try harness.open("/test.Echo/Wait", body: Harness.envelope([]))
        try harness.exchange()
        harness.channel.pipeline.fireChannelInactive()
        #expect(row("/test.Echo/Wait", harness)?.codes[1] == 1)
        let all = reading(of: harness)
        #expect(all.connectionsOpened == 1)
        #expect(all.openConnections == 0)
        #expect(all.receivedBytes > 0)
        #expect(all.sentBytes == UInt64(harness.sent.count))
    }

    @Test func moreCallsThanAreRememberedAreTimedTooInOneWakeUp() throws {
        let meter = LoopMeter(methods: 1)
        for _ in 0..<(CallLimits.unsettledCalls) {
            #expect(!meter.isFull)
            meter.ended(0, 0, CallTimes(arrival: 1))
        }
        #expect(meter.isFull)
        meter.settle(at: 2)
        #expect(!meter.isFull)
        #expect(meter.latency(0).count == UInt64(CallLimits.unsettledCalls))
    }

    @Test func aGroupOfCallersHasItsOutcomesTimesAndBytes() {
        let meter = LoopMeter(methods: 2, groups: 2)
        meter.ended(0, 0, of: 1, CallTimes(arrival: 1))
        meter.ended(1, 8, of: 1, CallTimes(arrival: 1))
        meter.ended(1, 3, of: 2, CallTimes(arrival: 1))
        // A call of a stream has no time.
        meter.ended(0, 13, of: 2, nil)
        meter.ended(0, 0, CallTimes(arrival: 1))
        meter.sent(70, toGroup: 2)
        meter.sent(5, toGroup: 0)
        meter.settle(at: 20_000_001)
        let (first, second) = (meter.reading(ofGroup: 1), meter.reading(ofGroup: 2))
        #expect(first.outcomes == [1, 0, 1, 0])
        #expect(second.outcomes == [0, 1, 0, 1])
        #expect(first.latency.count == 2)
        #expect(second.latency.count == 1)
        #expect(second.latency.upperEnd(of: 1) == 100_000_000)
        #expect([first.sentBytes, second.sentBytes] == [0, 70])
        // The methods count the same calls as before.
        #expect(meter.value(0, 0) == 2)
        #expect(meter.latency(0).count == 2)
        #expect(meter.latency(1).count == 2)
    }

    @Test func aGroupThatTheServerDoesNotKnowIsNotCounted() {
        let meter = LoopMeter(methods: 1, groups: 1)
        for group in [2, 3, Int.max] {
            meter.ended(0, 0, of: group, CallTimes(arrival: 1))
            meter.sent(9, toGroup: group)
        }
        meter.settle(at: 2)
        #expect(meter.reading(ofGroup: 1).outcomes == [0, 0, 0, 0])
        #expect(meter.reading(ofGroup: 1).latency.count == 0)
        #expect(meter.latency(0).count == 3)
    }

    @Test func eachCodeIsAnOutcome() {
        let refused: [UInt8] = [1, 3, 5, 6, 7, 9, 10, 11, 16]
        for code in UInt8(0)...17 {
            let outcome: CallOutcome =
                switch code {
                case 0: .ok
                case 8: .exhausted
                case _ where refused.contains(code): .refused
                default: .failed
                }
            #expect(CallOutcome(code: code) == outcome)
        }
    }

    @Test func reasonsAreCountedByTheirNumber() {
        let meter = LoopMeter(methods: 1)
        meter.failed(3)
        meter.failed(UInt16(CallLimits.countedReasons))
        meter.failed(.max)
        #expect(meter.failures(for: 3) == 1)
        let all = (0..<CallLimits.countedReasons).map { meter.failures(for: $0) }
        #expect(all.reduce(0, +) == 1)
    }

    @Test func theSlowestCallsOfASpanAreKept() {
        let slow = SlowCalls()
        for milliseconds in 1...100 {
            let end = Int64(milliseconds) * 1_000_000
            guard slow.isWorthNoting(UInt64(end), at: end) else { continue }
            slow.note(0, 0, CallTimes(), at: end)
        }
        #expect(!slow.isWorthNoting(84_000_000, at: 100_000_000))
        let kept = slow.calls(endedAfter: 0).map { $0.nanoseconds / 1_000_000 }
        #expect(kept == Array((85...100).reversed()))
        #expect(kept.count == CallLimits.slowCalls)
    }

    @Test func aNewSpanForgetsTheOneBeforeTheLast() {
        let slow = SlowCalls()
        let span = CallLimits.slowSpanSeconds * 1_000_000_000
        for start in [0, span, 2 * span] {
            let end = start + 5
            #expect(slow.isWorthNoting(5, at: end))
            slow.note(0, 0, CallTimes(arrival: start), at: end)
        }
        #expect(slow.calls(endedAfter: 0).map(\.end) == [2 * span + 5, span + 5])
    }

    @Test func aLoopThatOwesAnAnswerIsSilentUntilItGivesIt() {
        let pulse = LoopPulse()
        var answers: [@Sendable () -> Void] = []
        #expect(pulse.silence(at: 5) { answers.append($0) } == 0)
        #expect(pulse.silence(at: 9) { answers.append($0) } == 4)
        #expect(answers.count == 1)
        answers[0]()
        #expect(pulse.silence(at: 20) { answers.append($0) } == 0)
        #expect(answers.count == 2)
    }

    @Test func aLoopThatIsSilentForLongHangs() {
        let limit = CallLimits.hungLoopSeconds * 1_000_000_000
        #expect(LoopPulse.hang(of: 2, silent: limit - 1) == nil)
        #expect(LoopPulse.hang(of: 2, silent: limit) == "loop 2 has not answered for 10 seconds")
    }

    @Test func theBusiestConnectionsAreShownFirstAndNotAll() throws {
        let harness = try Harness()
        _ = try harness.open("/test.Echo/Wait", body: Harness.envelope([]))
        try harness.exchange()
        var channels: [EmbeddedChannel] = []
        for _ in 0..<CallLimits.shownConnections {
            let connection = try ServerConnection(loop: harness.loop) {}
            channels.append(EmbeddedChannel(handler: connection, loop: harness.eventLoop))
        }
        let notes = harness.loop.notes()
        #expect(harness.loop.connectionCount == CallLimits.shownConnections + 1)
        #expect(notes.count == CallLimits.shownConnections)
        #expect(notes[0].openCalls == 1)
        #expect(notes[1].openCalls == 0)
        for channel in channels { _ = try channel.finish() }
        harness.service.waiting.withLock { $0 = [] }
    }
}
