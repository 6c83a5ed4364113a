import RelationModel
import Testing

@testable import RelationCore
@testable import RelationHooks

/// Which questions may be asked, with times of the test.
struct QuestionGateTests {
    private static func receiver(_ app: UInt32 = 1) -> AskedReceiver {
        AskedReceiver(app: app, hook: HookID("aaaaaaaaaaaaaaaa"), url: "https://one.example/")
    }

    /// Asks in vain so often that the receiver is paused.
    private static func paused(_ gate: inout QuestionGate, at now: Int64 = 0) {
        for _ in 0..<HookLimits.silencesBeforePause {
            #expect(gate.begin(receiver(), at: now) == .ask)
            gate.end(receiver(), .silent, at: now)
        }
    }

    @Test func asManyCallsOfAnAppWaitAsMay() {
        var gate = QuestionGate()
        for _ in 0..<Limits.questionsOfApp {
            #expect(gate.begin(Self.receiver(), at: 0) == .ask)
        }
        #expect(gate.begin(Self.receiver(), at: 0) == .appIsFull)
        #expect(gate.begin(Self.receiver(2), at: 0) == .ask)
        gate.end(Self.receiver(), .answered, at: 0)
        #expect(gate.begin(Self.receiver(), at: 0) == .ask)
        #expect(gate.waiting == Limits.questionsOfApp + 1)
    }

    @Test func asManyCallsOfAllAppsWaitAsMayAndAnotherAppFindsRoom() {
        var gate = QuestionGate(ofApp: 1_000, all: 8)
        var taken = 0
        for app in 1...100 as ClosedRange<UInt32> {
            var entry = gate.begin(Self.receiver(app), at: 0)
            // The first question of each app comes in while the server has room.
            #expect(entry == (taken < 8 ? .ask : .serverIsFull))
            while entry == .ask {
                taken += 1
                entry = gate.begin(Self.receiver(app), at: 0)
            }
        }
        #expect(gate.waiting == 8)
    }

    @Test func oneAppNeverTakesAllRoom() {
        var gate = QuestionGate(ofApp: 1_000, all: HookLimits.questions)
        while gate.begin(Self.receiver(), at: 0) == .ask {}
        #expect(gate.waiting <= HookLimits.questions / 2 + 1)
        #expect(gate.begin(Self.receiver(2), at: 0) == .ask)
    }

    @Test func aSilentReceiverIsPausedAndTriedByOneQuestion() {
        var gate = QuestionGate()
        Self.paused(&gate)
        #expect(gate.begin(Self.receiver(), at: 0) == .pause)
        #expect(gate.paused(at: 0) == 1)
        let end = HookLimits.firstPauseMilliseconds
        #expect(gate.begin(Self.receiver(), at: end - 1) == .pause)
        #expect(gate.begin(Self.receiver(), at: end) == .ask)
        // While it is tried, no other call waits for it.
        #expect(gate.begin(Self.receiver(), at: end) == .pause)
        gate.end(Self.receiver(), .answered, at: end)
        #expect(gate.begin(Self.receiver(), at: end) == .ask)
        #expect(gate.paused(at: end) == 0)
    }

    @Test func pausesGrowToTheLongest() {
        var gate = QuestionGate()
        Self.paused(&gate)
        var now: Int64 = 0
        var pause = HookLimits.firstPauseMilliseconds
        for _ in 0..<12 {
            now += min(pause, HookLimits.longestPauseMilliseconds)
            #expect(gate.begin(Self.receiver(), at: now - 1) == .pause)
            #expect(gate.begin(Self.receiver(), at: now) == .ask)
            gate.end(Self.receiver(), .silent, at: now)
            pause *= 2
        }
    }

    @Test func questionsThatWereUnderWayLengthenNoPause() {
        var gate = QuestionGate()
        for _ in 0..<100 { #expect(gate.begin(Self.receiver(), at: 0) == .ask) }
        for _ in 0..<100 { gate.end(Self.receiver(), .silent, at: 0) }
        #expect(gate.begin(Self.receiver(), at: HookLimits.firstPauseMilliseconds) == .ask)
    }

    @Test func aCallThatHadLittleTimeSaysNothingOfTheReceiver() {
        var gate = QuestionGate()
        for _ in 0..<100 {
            #expect(gate.begin(Self.receiver(), at: 0) == .ask)
            gate.end(Self.receiver(), .cutShort, at: 0)
        }
        Self.paused(&gate)
        let end = HookLimits.firstPauseMilliseconds
        #expect(gate.begin(Self.receiver(), at: end) == .ask)
        gate.end(Self.receiver(), .cutShort, at: end)
        // It is tried again by the next call.
        #expect(gate.begin(Self.receiver(), at: end) == .ask)
    }

    @Test func anotherURLIsAnotherReceiver() {
        var gate = QuestionGate()
        Self.paused(&gate)
        let moved = AskedReceiver(
            app: 1, hook: HookID("aaaaaaaaaaaaaaaa"), url: "https://two.example/")
        #expect(gate.begin(moved, at: 0) == .ask)
    }

    @Test func receiversThatAreGoneAreForgotten() {
        var gate = QuestionGate()
        for app in 1...UInt32(HookLimits.silentReceivers) {
            #expect(gate.begin(Self.receiver(app), at: 0) == .ask)
            gate.end(Self.receiver(app), .silent, at: 0)
        }
        let later = 20 * HookLimits.longestPauseMilliseconds
        #expect(gate.begin(Self.receiver(9_999_999), at: later) == .ask)
        gate.end(Self.receiver(9_999_999), .silent, at: later)
        #expect(gate.known == 1)
    }
}
