import StoragePostgres
import Testing

/// When a standby is tried again, by a clock and by chance that the tests choose.
struct StandbyRetriesTests {
    private let first = Limits.firstStandbyPauseMilliseconds
    private let longest = Limits.longestStandbyPauseMilliseconds

    @Test func eachReadTriesAStandbyThatServes() {
        var retries = StandbyRetries()
        for now in [5, 5, 5] {
            let isClaimed = retries.claim(at: now)
            #expect(isClaimed)
        }
        #expect(!retries.isPaused)
    }

    @Test func oneReadTriesItAfterThePause() {
        var retries = StandbyRetries()
        retries.failed(since: 0, at: 100) { $0.upperBound }
        #expect(retries.isPaused)
        let tries = [100, 99 + first, 100 + first, 100 + first, 200 + first].map {
            retries.claim(at: $0)
        }
        #expect(tries == [false, false, true, false, false])
        retries.succeeded()
        let isClaimed = retries.claim(at: 200 + first)
        #expect(isClaimed)
    }

    @Test func pausesDoubleUpToTheLongest() {
        var retries = StandbyRetries()
        var pauses: [ClosedRange<Int>] = []
        for now in 0..<100 {
            retries.failed(since: now, at: now) { range in
                pauses.append(range)
                return 0
            }
        }
        #expect(pauses[0] == first / 2...first)
        #expect(pauses[1] == first...2 * first)
        #expect(pauses[3] == 4 * first...8 * first)
        #expect(pauses.last == longest / 2...longest)
    }

    @Test func ofReadsAtOnceThatFailOneCounts() {
        var retries = StandbyRetries()
        var pauses: [Int] = []
        for (begun, now) in [(10, 500), (11, 501), (12, 502), (2_000, 2_500)] {
            retries.failed(since: begun, at: now) { range in
                pauses.append(range.upperBound)
                return range.upperBound
            }
        }
        #expect(pauses == [first, 2 * first])
    }
}
