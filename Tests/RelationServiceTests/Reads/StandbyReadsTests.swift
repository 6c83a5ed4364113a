import Protobuf
import RPC
import RelationAPI
import RelationModel
import Storage
import Synchronization
import Testing

@testable import RelationCalls
@testable import RelationRuntime
@testable import RelationService

/// The way of a read that standbys may answer, by a clock and sleeps of the tests.
struct StandbyReadsTests {
    /// Standbys whose next outcomes a test decides; the last one stays.
    private final class Scripted: StoreStandbys {
        let takesRecentReads: Bool
        private let outcomes: Mutex<[StandbyOutcome]>
        private let seen = Mutex<[StandbyNeed]>([])

        init(_ outcomes: [StandbyOutcome], takesRecentReads: Bool = false) {
            self.outcomes = Mutex(outcomes)
            self.takesRecentReads = takesRecentReads
        }

        var needs: [StandbyNeed] { seen.withLock { $0 } }

        func read(
            _ need: StandbyNeed,
            _ body: (any ReadTransaction) throws(StorageError) -> StandbyVerdict
        ) -> StandbyOutcome {
            seen.withLock { $0.append(need) }
            return outcomes.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
        }
    }

    /// A clock that goes on by sleeping.
    private final class Clock: Sendable {
        let now = Atomic<UInt64>(1_000_000_000)
        let slept = Mutex<[Int]>([])

        func reads(_ standbys: Scripted, onSleep: @escaping @Sendable () -> Void = {})
            -> StandbyReads
        {
            StandbyReads(
                standbys, clock: { self.now.load(ordering: .relaxed) },
                sleep: { milliseconds in
                    self.now.add(UInt64(milliseconds) * 1_000_000, ordering: .relaxed)
                    self.slept.withLock { $0.append(milliseconds) }
                    onSleep()
                })
        }
    }

    private static let ann = UserID(stored: "ann".utf8)

    private func least(_ ifBehind: IfBehind = .unspecified, sequence: Int64 = 5) -> LeastSequence {
        LeastSequence(user: Self.ann, sequence: sequence, ifBehind: ifBehind)
    }

    private func step(
        _ standbys: Scripted, _ least: LeastSequence, isHeavy: Bool = false
    ) -> StandbyReads.Step {
        Clock().reads(standbys).read(least, isHeavy: isHeavy, by: nil) { _ in .answered }
    }

    // MARK: What is asked

    @Test func aReadAsksForWhatItNeeds() {
        for (takesRecent, sequence, isHeavy, need) in [
            (false, Int64(5), false, StandbyNeed.token), (false, 5, true, .token),
            (true, 5, false, .token), (true, 0, false, .recent), (true, 0, true, .recent),
            (false, 0, true, .present),
        ] {
            let standbys = Scripted([.answered], takesRecentReads: takesRecent)
            let found = step(standbys, least(sequence: sequence), isHeavy: isHeavy)
            #expect(found == .answered && standbys.needs == [need])
        }
    }

    @Test func anOrdinaryReadStaysOnThePrimaryUnlessTheSettingsAllowAnOlderAnswer() {
        for ifBehind in [IfBehind.unspecified, .primary, .wait, .fail] {
            let standbys = Scripted([.answered])
            #expect(step(standbys, least(ifBehind, sequence: 0)) == .primary)
            #expect(standbys.needs.isEmpty)
        }
    }

    // MARK: What happens then

    @Test(arguments: [StandbyOutcome.behind, .away])
    func thePrimaryAnswersUnlessTheCallerChoseAnother(_ outcome: StandbyOutcome) {
        for (ifBehind, step) in [
            (IfBehind.unspecified, StandbyReads.Step.primary), (.primary, .primary),
            (.fail, .behind),
        ] {
            let standbys = Scripted([outcome])
            #expect(self.step(standbys, least(ifBehind)) == step)
            #expect(standbys.needs == [.token])
        }
    }

    @Test func whatMayBeThereByNowIsAskedOfThePrimary() {
        for ifBehind in [IfBehind.unspecified, .wait, .fail] {
            #expect(step(Scripted([.unsure]), least(ifBehind)) == .primary)
            #expect(step(Scripted([.behind, .unsure]), least(ifBehind)) != .answered)
        }
    }

    @Test func aReadThatMustSeeAllThereIsGoesToThePrimary() {
        for ifBehind in [IfBehind.unspecified, .wait, .fail] {
            let standbys = Scripted([.away])
            #expect(step(standbys, least(ifBehind, sequence: 0), isHeavy: true) == .primary)
            #expect(standbys.needs == [.present])
        }
    }

    // MARK: Waits

    @Test func aReadWaitsUntilAStandbyHasTheChange() {
        let clock = Clock()
        let standbys = Scripted([.behind, .behind, .away, .behind, .answered])
        let found = clock.reads(standbys).read(least(.wait), isHeavy: false, by: nil) { _ in
            .answered
        }
        #expect(found == .answered && standbys.needs.count == 5)
        let first = RuntimeLimits.firstBehindPauseMilliseconds
        #expect(clock.slept.withLock { $0 } == [first, 2 * first, 4 * first, 8 * first])
    }

    @Test func aReadWaitsNoLongerThanTheLimit() {
        let clock = Clock()
        let reads = clock.reads(Scripted([.behind]))
        #expect(reads.read(least(.wait), isHeavy: false, by: nil) { _ in .answered } == .behind)
        let slept = clock.slept.withLock { $0 }
        #expect(slept.reduce(0, +) == RuntimeLimits.behindMilliseconds)
        #expect(slept.max() == RuntimeLimits.longestBehindPauseMilliseconds)
    }

    @Test func aReadDoesNotWaitPastItsDeadline() {
        let clock = Clock()
        let deadline = Deadline(
            nanoseconds: clock.now.load(ordering: .relaxed) + 40 * 1_000_000)
        let reads = clock.reads(Scripted([.behind]))
        #expect(
            reads.read(least(.wait), isHeavy: false, by: deadline) { _ in .answered } == .behind)
        #expect(clock.slept.withLock { $0.reduce(0, +) } == 40)
    }

    @Test func oneReadMoreThanMayWaitDoesNot() {
        let clock = Clock()
        let found = Mutex<[StandbyReads.Step]>([])
        let reads = Mutex<StandbyReads?>(nil)
        let standbys = Scripted([.behind])
        // Each read that waits begins another one in its first sleep.
        let nested = clock.reads(standbys) {
            let count = clock.slept.withLock { $0.count }
            guard count <= StandbyReads.mostWaiting else { return }
            let inner = reads.withLock { $0 }
            let step = inner?.read(
                LeastSequence(user: Self.ann, sequence: 5, ifBehind: .wait), isHeavy: false, by: nil
            ) { _ in .answered }
            found.withLock { $0.append(step ?? .primary) }
        }
        reads.withLock { $0 = nested }
        #expect(nested.read(least(.wait), isHeavy: false, by: nil) { _ in .answered } == .behind)
        // The innermost one ended first, and asked once.
        #expect(found.withLock { $0.count } == StandbyReads.mostWaiting)
        #expect(found.withLock { $0.allSatisfy { $0 == .behind } })
        // The reads that waited have left.
        let before = clock.slept.withLock { $0.count }
        #expect(nested.read(least(.wait), isHeavy: false, by: nil) { _ in .answered } == .behind)
        #expect(clock.slept.withLock { $0.count } > before)
        reads.withLock { $0 = nil }
    }

    // MARK: The calls

    @Test func theCallsAreThoseOfTheContractThatRead() {
        let reading = ServiceTable.all.filter { $0.access == .read || $0.access == .scan }
        let paths = Set(reading.map(\.path))
        #expect(StandbyReads.calls.subtracting(paths) == [])
        #expect(StandbyReads.heavyCalls.subtracting(StandbyReads.calls) == [])
        for call in ["ListCredentials", "ListOperatorKeys", "GetApp", "ListApps"] {
            #expect(!StandbyReads.calls.contains("/relation.v1.AppService/\(call)"))
        }
    }
}
