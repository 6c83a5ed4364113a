import RelationCalls
import RelationModel
import Storage
import Synchronization
import Testing

@testable import RelationRuntime

/// The look at the tables of a shared store, and its clock.
@Suite struct TableWatchTests {
    private final class Watched: Sendable {
        let notes = KeptNotes()
        /// The news in order: the code of an error, or that it has passed.
        let notified = Mutex<[String]>([])
        let now = Atomic<UInt64>(1_000_000_000)

        func watch() -> TableWatch {
            TableWatch(
                notes, StoreClock(), clock: { self.now.load(ordering: .relaxed) },
                onError: { [weak self] error in
                    self?.notified.withLock { $0.append(error.map { "\($0.code)" } ?? "passed") }
                })
        }

        func fails(_ code: StorageError.Code?) {
            notes.looks.withLock { $0 = code.map { .failure(StorageError($0, "")) } ?? .success(0) }
        }

        func pass(_ milliseconds: Int) {
            now.add(UInt64(milliseconds) * 1_000_000, ordering: .relaxed)
        }

        var words: [String] { notified.withLock { $0 } }
    }

    @Test func aTableThatIsGoneIsReportedAtOnceAndOnce() {
        let watched = Watched()
        let watch = watched.watch()
        watch.check()
        #expect(watched.words == [])
        watched.fails(.foreign)
        for _ in 0..<3 { watch.check() }
        #expect(watched.words == ["foreign"])
        watched.fails(nil)
        for _ in 0..<2 { watch.check() }
        #expect(watched.words == ["foreign", "passed"])
    }

    @Test func aTableThatIsLockedIsReportedWhenItLasts() {
        let watched = Watched()
        let watch = watched.watch()
        let limit = RuntimeLimits.lockedTableMilliseconds
        watched.fails(.unavailable)
        watch.check()
        watched.pass(limit - 1)
        watch.check()
        // A moment in which it is free begins it anew.
        watched.fails(nil)
        watch.check()
        watched.fails(.unavailable)
        watch.check()
        watched.pass(limit - 1)
        watch.check()
        #expect(watched.words == [])
        watched.pass(1)
        watch.check()
        #expect(watched.words == ["unavailable"])
        watched.fails(nil)
        watch.check()
        #expect(watched.words == ["unavailable", "passed"])
    }

    @Test func aServerThatCannotLookDoesNotStart() {
        let watched = Watched()
        watched.fails(.foreign)
        #expect(throws: StorageError(.foreign, "")) { try watched.watch().start() }
    }

    /// The clock of a machine may be days away from the store's: no server goes by it.
    @Test(arguments: [-172_800_000, 0, 172_800_000] as [Int64])
    func theTimeIsThatOfTheStore(_ ahead: Int64) {
        let counter = Atomic<Int64>(500)
        let machine = ServiceClock { Timestamp(milliseconds: 1_000_000_000 + ahead) }
        let clock = StoreClock(startingAt: machine) { counter.load(ordering: .relaxed) }
        let service = clock.service
        #expect(service.now() == machine.now(), "nothing better is known yet")
        clock.measure { 1_000_000_000 }
        #expect(service.now() == Timestamp(milliseconds: 1_000_000_000))
        counter.add(250, ordering: .relaxed)
        #expect(service.now() == Timestamp(milliseconds: 1_000_000_250))
        // An answer that took long may have been given at any moment meanwhile.
        clock.measure { () -> Int64 in
            counter.add(100, ordering: .relaxed)
            return 1_000_000_260
        }
        #expect(service.now() == Timestamp(milliseconds: 1_000_000_350))
        // The store's clock was set back.
        clock.measure { 900_000_000 }
        #expect(service.now() == Timestamp(milliseconds: 900_000_000))
    }
}
