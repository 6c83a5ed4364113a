import Backups
import Logging
import RelationCalls
import RelationModel
import RelationRuntime
import Storage
import Synchronization
import Testing

@Suite struct BackupScheduleTests {
    private let backups = FakeBackups()

    /// Looks once at that time, and waits for what follows.
    private func check(at now: Int64) -> [Int64] {
        let clock = ServiceClock { Timestamp(milliseconds: now) }
        let schedule = BackupSchedule(backups, everyMinutes: 30, clock: clock)
        schedule.work()
        schedule.close()
        return backups.made
    }

    @Test func oneIsMadeWhenTheNewestIsOldEnough() {
        let every: Int64 = 30 * 60_000
        #expect(check(at: 1_000) == [1_000])
        #expect(check(at: 1_000 + every - 1) == [1_000])
        #expect(check(at: 1_000 + every) == [1_000, 1_000 + every])
    }

    @Test func aClockThatWasSetBackDoesNotStopThem() {
        #expect(check(at: 9_000_000) == [9_000_000])
        #expect(check(at: 5_000) == [9_000_000, 5_000])
    }

    @Test func afterAFailureItWaitsTenMinutes() {
        let now = Mutex<Int64>(1_000)
        let clock = ServiceClock { Timestamp(milliseconds: now.withLock { $0 }) }
        let schedule = BackupSchedule(backups, everyMinutes: 30, clock: clock)
        backups.fail(1)
        for time: Int64 in [1_000, 1_000 + 599_999, 1_000 + 600_000] {
            now.withLock { $0 = time }
            schedule.work()
            schedule.finishSteps()
        }
        #expect(backups.attempts == [1_000, 601_000])
        #expect(backups.made == [601_000])
    }

    @Test func aStopGivesUpWhatIsUnderWay() {
        backups.hang()
        let clock = ServiceClock { Timestamp(milliseconds: 1_000) }
        let schedule = BackupSchedule(backups, everyMinutes: 30, clock: clock)
        schedule.work()
        schedule.stop()
        schedule.close()
        #expect(backups.abandoned == 1)
        #expect(backups.made == [])
    }
}

/// Backups that are whole after one step, fail, or never end.
private final class FakeBackups: StoreBackups {
    private struct State {
        var made: [Int64] = []
        var attempts: [Int64] = []
        var failures = 0
        var hangs = false
        var abandoned = 0
    }

    private let state = Mutex(State())

    var made: [Int64] { state.withLock { $0.made } }
    var attempts: [Int64] { state.withLock { $0.attempts } }
    var abandoned: Int { state.withLock { $0.abandoned } }

    func fail(_ count: Int) { state.withLock { $0.failures = count } }
    func hang() { state.withLock { $0.hangs = true } }

    var all: [BackupEntry] { [] }

    var gauges: BackupGauges {
        var gauges = BackupGauges()
        gauges.newestMs = made.last
        return gauges
    }

    func begin(
        at nowMs: Int64,
        counting count:
            @escaping @Sendable (any ReadTransaction) throws(StorageError) ->
            [BackupCounts]
    ) -> (any BackupMaking)? {
        state.withLock { $0.attempts.append(nowMs) }
        return Making(backups: self)
    }

    func read(
        _ path: String, of name: String, offset: Int64, count: Int, at nowMs: Int64
    ) throws(StorageError) -> [UInt8]? { nil }

    fileprivate func step(at nowMs: Int64) throws(StorageError) -> BackupAdvance {
        let (fails, hangs) = state.withLock { state in
            state.failures -= 1
            return (state.failures >= 0, state.hangs)
        }
        if fails { throw StorageError(.diskLow, "there is no room") }
        var advance = BackupAdvance()
        guard !hangs else { return advance }
        state.withLock { $0.made.append(nowMs) }
        advance.entry = BackupEntry(BackupManifest(), sum: "")
        return advance
    }

    fileprivate func giveUp() { state.withLock { $0.abandoned += 1 } }
}

private final class Making: BackupMaking {
    private let backups: FakeBackups

    init(backups: FakeBackups) {
        self.backups = backups
    }

    func step(at nowMs: Int64) throws(StorageError) -> BackupAdvance {
        try backups.step(at: nowMs)
    }

    func abandon() { backups.giveUp() }
}
