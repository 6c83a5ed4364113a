import Testing

@testable import RelationCalls
@testable import RelationRuntime
@testable import RelationService

/// The time of operations, as far as it is known.
@Suite struct PaceTests {
    @Test func thePaceIsKnownOnceEnoughTransactionsLeftWork() {
        var pace = Pace()
        var now: UInt64 = 0
        for number in 1...RuntimeLimits.commitsOfEvidence {
            pace.begin(at: now)
            now += 640
            pace.end(64, at: now, leavesWork: true)
            let isKnown = pace.nanosecondsPerOperation != nil
            #expect(isKnown == (number == RuntimeLimits.commitsOfEvidence))
        }
        #expect(pace.nanosecondsPerOperation == 10)
        // The time between two transactions is part of the wait too.
        now += 100
        pace.begin(at: now)
        now += 540
        pace.end(64, at: now, leavesWork: true)
        #expect(abs((pace.nanosecondsPerOperation ?? 0) - 10) < 0.001)
        pace.begin(at: now)
        pace.end(64, at: now + 1, leavesWork: false)
        #expect(pace.nanosecondsPerOperation == nil)
    }

    @Test func thePaceForgets() {
        var pace = Pace()
        var now: UInt64 = 0
        for time in [64_000, 64] as [UInt64] {
            for _ in 0..<10 * RuntimeLimits.commitsRemembered {
                pace.begin(at: now)
                now += time
                pace.end(64, at: now, leavesWork: true)
            }
        }
        #expect((0.9...2).contains(pace.nanosecondsPerOperation ?? 0))
    }
}
