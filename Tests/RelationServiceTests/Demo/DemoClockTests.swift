import RelationCalls
import RelationModel
import Synchronization
import Testing

@testable import RelationService

/// The clock of a demo, which a caller sets.
struct DemoClockTests {
    /// A machine whose time a test sets.
    private final class Machine: Sendable {
        let now = Atomic<Int64>(1_000)

        var clock: ServiceClock {
            ServiceClock { Timestamp(milliseconds: self.now.load(ordering: .relaxed)) }
        }
    }

    private let machine = Machine()

    @Test func aClockThatNoTestSetsIsTheMachines() {
        let clock = DemoClock(ahead: machine.clock)
        machine.now.store(2_500, ordering: .relaxed)
        #expect(clock.service.now().milliseconds == 2_500)
        #expect(clock.json == "{\"now_ms\":2500,\"stopped\":false}\n")
    }

    @Test func aClockThatWasSetRunsOn() throws {
        let clock = DemoClock(ahead: machine.clock)
        try clock.apply(#"{"advance_ms": 86400000}"#)
        #expect(clock.service.now().milliseconds == 86_401_000)
        machine.now.store(1_010, ordering: .relaxed)
        #expect(clock.service.now().milliseconds == 86_401_010)
        try clock.apply(#"{"nowMs": "90000000"}"#)
        #expect(clock.service.now().milliseconds == 90_000_000)
    }

    @Test func aClockThatStandsIsMovedByHand() throws {
        let clock = DemoClock(ahead: machine.clock)
        try clock.apply(#"{"stopped": true}"#)
        machine.now.store(5_000, ordering: .relaxed)
        #expect(clock.json == "{\"now_ms\":1000,\"stopped\":true}\n")
        try clock.apply(#"{"advance_ms": 7}"#)
        #expect(clock.service.now().milliseconds == 1_007)
        // It runs on from where it stood, behind the machine.
        try clock.apply(#"{"stopped": false}"#)
        machine.now.store(5_003, ordering: .relaxed)
        #expect(clock.service.now().milliseconds == 1_010)
    }

    @Test(arguments: [
        ("{}", "now_ms, advance_ms or stopped is needed"),
        (#"{"now_ms": 2000, "advance_ms": 1}"#, "now_ms and advance_ms exclude each other"),
        (#"{"now_ms": 999}"#, "the clock never goes back: it is 1000 now"),
        (#"{"advance_ms": -1}"#, "the clock never goes back: it is 1000 now"),
        (
            #"{"advance_ms": 9223372036854775807}"#,
            "the clock goes at most 3155760000000 ms ahead"
        ),
        (#"{"advance_ms": 3155760000001}"#, "the clock goes at most 3155760000000 ms ahead"),
    ])
    func aChangeThatCannotBeIsRefused(_ json: String, _ words: String) {
        let clock = DemoClock(ahead: machine.clock)
        #expect(throws: DemoClock.Refusal(words: words)) { try clock.apply(json) }
        #expect(clock.service.now().milliseconds == 1_000)
    }

    @Test(arguments: ["", "[]", #"{"later": 1}"#, #"{"advance_ms": "soon"}"#])
    func aTextThatIsNoChangeIsRefused(_ json: String) {
        let clock = DemoClock(ahead: machine.clock)
        #expect(throws: DemoClock.Refusal.self) { try clock.apply(json) }
    }

    @Test func theFurthestTimeIsReached() throws {
        let clock = DemoClock(ahead: machine.clock)
        try clock.apply(#"{"advance_ms": \#(DemoLimits.aheadMilliseconds)}"#)
        #expect(clock.service.now().milliseconds == 1_000 + DemoLimits.aheadMilliseconds)
    }
}
