import Dispatch
import Memory
import Meters
import Protobuf
import RPC
import Storage
import Synchronization
import Testing

@testable import GRPC
@testable import RelationRuntime

/// The place where reads run: on the loop while their rows are in memory, and on other threads if
/// the loop would have to wait.
@Suite struct ReadersTests {
    @Test func aReadOfWhatIsInMemoryStaysOnItsLoop() async throws {
        let service = try await ReadService()
        #expect(try await service.nick() == "Ann")
        #expect(service.store.reads == [.memory])
        await service.stop()
    }

    @Test func aReadOfWhatIsNotInMemoryIsAnsweredByAReader() async throws {
        let service = try await ReadService()
        service.store.isCold.store(true, ordering: .relaxed)
        #expect(try await service.nick() == "Ann")
        #expect(service.store.reads == [.memory, .disk])
        await service.stop()
    }

    @Test func aReaderTellsErrorsAsALoopDoes() async throws {
        let service = try await ReadService()
        service.store.isCold.store(true, ordering: .relaxed)
        do {
            _ = try await service.nick(of: "unknown")
            Issue.record("an unknown user has a profile")
        } catch let error as RPCError {
            #expect(error.code == .notFound)
        }
        #expect(service.store.reads == [.memory, .disk])
        await service.stop()
    }

    @Test func aLoopAnswersOthersWhileAReaderWaitsForTheDisk() async throws {
        let service = try await ReadService()
        service.store.isCold.store(true, ordering: .relaxed)
        service.store.holdsDisk.store(true, ordering: .relaxed)
        async let slow = service.nick()
        await service.store.begun.wait()
        service.store.isCold.store(false, ordering: .relaxed)
        // The server has one loop, and the first read stands still until this one has been
        // answered.
        #expect(try await service.nick() == "Ann")
        service.store.gate.signal()
        #expect(try await slow == "Ann")
        #expect(service.store.reads == [.memory, .disk, .memory])
        await service.stop()
    }

    @Test func noMoreReadsWaitThanTheirLimit() {
        let readers = Readers(threads: 1, capacity: 6)
        let gate = DispatchSemaphore(value: 0)
        let begun = DispatchSemaphore(value: 0)
        let done = Atomic(0)
        #expect(
            readers.submit(of: 1) { _ in
                begun.signal()
                gate.wait()
            } != nil)
        begun.wait()
        // One app gets half of the room.
        func isTaken(adding count: Int) -> Bool {
            readers.submit(of: 1) { _ in done.add(count, ordering: .relaxed) } != nil
        }
        for _ in 0..<3 { #expect(isTaken(adding: 1)) }
        #expect(!isTaken(adding: 100))
        gate.signal()
        readers.close()
        #expect(done.load(ordering: .relaxed) == 3)
        #expect(!isTaken(adding: 100))
    }

    @Test func aPoolWithoutThreadsRunsItsReadsWhenItIsCalled() {
        let now = Atomic<UInt64>(0)
        let readers = Readers(threads: 0) { now.load(ordering: .relaxed) }
        let arena = Arena()
        defer { arena.free() }
        let order = Mutex<[String]>([])
        func submit(_ name: String, by deadline: UInt64? = nil) -> Bool {
            readers.submit(of: 1, by: deadline.map { Deadline(nanoseconds: $0) }) { _ in
                order.withLock { $0.append(name) }
            } != nil
        }
        #expect(submit("first") && submit("late", by: 7) && submit("last", by: 8))
        #expect(order.withLock { $0.isEmpty })
        now.store(7, ordering: .relaxed)
        readers.runWaiting(in: arena)
        #expect(order.withLock { $0 } == ["first", "last"])
        #expect(readers.waitingCount == 0)
        readers.close()
    }

    @Test func readsAreCountedWithTheTimeForWhichTheyWaited() {
        let now = Atomic<UInt64>(0)
        let readers = Readers(threads: 0, capacity: 4) { now.load(ordering: .relaxed) }
        let arena = Arena()
        defer { arena.free() }
        #expect(readers.submit(of: 1) { _ in } != nil)
        #expect(readers.submit(of: 1, by: Deadline(nanoseconds: 60_000)) { _ in } != nil)
        #expect(readers.submit(of: 1) { _ in } == nil)
        #expect(readers.reading().waiting == 2)
        now.store(60_000, ordering: .relaxed)
        readers.runWaiting(in: arena)
        let reading = readers.reading()
        #expect(reading.waiting == 0)
        #expect(reading.submitted == 2)
        #expect(reading.refused == 1)
        #expect(reading.dropped == 1)
        #expect(reading.waits.count == 1)
        #expect(reading.waits.sum == 60_000)
        readers.close()
    }

    @Test func aReadOnAThreadIsTimed() {
        let now = Atomic<UInt64>(0)
        let readers = Readers(threads: 1) { now.load(ordering: .relaxed) }
        #expect(readers.submit(of: 1) { _ in now.store(900, ordering: .relaxed) } != nil)
        readers.close()
        #expect(readers.reading().lengths.count == 1)
        #expect(readers.reading().lengths.sum == 900)
        #expect(readers.reading().threads == 0)
    }

    @Test func appsTakeTurnsAndWhatIsTooLateDoesNotRun() {
        let now = Atomic<UInt64>(0)
        let readers = Readers(threads: 1) { now.load(ordering: .relaxed) }
        let gate = DispatchSemaphore(value: 0)
        let begun = DispatchSemaphore(value: 0)
        let order = Mutex<[String]>([])
        func submit(_ name: String, of app: UInt32, by deadline: UInt64? = nil) -> Bool {
            readers.submit(of: app, by: deadline.map { Deadline(nanoseconds: $0) }) { _ in
                if name == "first" {
                    begun.signal()
                    gate.wait()
                }
                order.withLock { $0.append(name) }
            } != nil
        }
        #expect(submit("first", of: 1))
        begun.wait()
        for number in 1...3 { #expect(submit("heavy \(number)", of: 1)) }
        #expect(submit("light", of: 2) && submit("late", of: 2, by: 7))
        #expect(submit("in time", of: 3, by: 8))
        now.store(7, ordering: .relaxed)
        gate.signal()
        readers.close()
        let expected = ["first", "heavy 1", "light", "in time", "heavy 2", "heavy 3"]
        #expect(order.withLock { $0 } == expected)
    }

    @Test func aReadThatItsCallerResetDoesNotRun() async throws {
        let service = try await ReadService(threads: 1)
        service.store.isCold.store(true, ordering: .relaxed)
        service.store.holdsDisk.store(true, ordering: .relaxed)
        async let slow = service.nick()
        await service.store.begun.wait()
        await service.store.tried.wait()
        let reset = Task { try await service.nick() }
        await service.store.tried.wait()
        reset.cancel()
        _ = await reset.result
        service.store.isCold.store(false, ordering: .relaxed)
        // This call comes behind the reset on the same connection, so the reset has arrived.
        #expect(try await service.nick() == "Ann")
        service.store.gate.signal()
        #expect(try await slow == "Ann")
        await service.stop()
        #expect(service.store.reads == [.memory, .disk, .memory, .memory])
    }

    @Test func aReadThatIsTakenBackLeavesTheQueueAtOnceAndNeverRuns() throws {
        let readers = Readers(threads: 1)
        let gate = DispatchSemaphore(value: 0)
        let begun = DispatchSemaphore(value: 0)
        let done = Atomic(0)
        let held = readers.submit(of: 1) { _ in
            begun.signal()
            gate.wait()
        }
        let first = try #require(held)
        begun.wait()
        /// Submits a read that holds `token` and adds `count`.
        func submit(adding count: Int, _ token: Token) throws -> Readers.Ticket {
            let ticket = readers.submit(of: 1) { _ in
                withExtendedLifetime(token) { _ = done.add(count, ordering: .relaxed) }
            }
            return try #require(ticket)
        }
        var token: Token? = Token()
        weak let kept = token
        let second = try submit(adding: 10, #require(token))
        token = nil
        let third = try submit(adding: 100, Token())
        #expect(readers.waitingCount == 2 && kept != nil)
        #expect(readers.withdraw(second))
        #expect(readers.waitingCount == 1 && kept == nil, "nothing of it is left")
        #expect(!readers.withdraw(second))
        #expect(!readers.withdraw(first), "it runs")
        gate.signal()
        readers.close()
        #expect(!readers.withdraw(third), "it has run")
        #expect(done.load(ordering: .relaxed) == 100)
    }

    private final class Token: Sendable {}

    @Test func threadsForLongReadsAndScansStandBackAndOthersDoNot() {
        let own = Readers.niceness
        let ranks: [(Readers.Rank, Int32)] = [
            (.same, 0), (.aside, RuntimeLimits.longReadNiceness),
            (.low, RuntimeLimits.scanNiceness),
        ]
        for (rank, distance) in ranks {
            let readers = Readers(threads: 1, rank: rank)
            let found = Mutex<Int32?>(nil)
            let done = DispatchSemaphore(value: 0)
            let ticket = readers.submit(of: 1) { _ in
                found.withLock { $0 = Readers.niceness }
                done.signal()
            }
            #expect(ticket != nil)
            done.wait()
            #expect(found.withLock { $0 } == min(own + distance, 19))
            readers.close()
        }
    }

    @Test func asManyReadsRunAtOnceAsThereAreThreads() {
        let readers = Readers(threads: 2)
        // Each waits for the other: neither ends unless both run.
        let first = DispatchSemaphore(value: 0)
        let second = DispatchSemaphore(value: 0)
        let done = Atomic(0)
        #expect(
            readers.submit(of: 1) { _ in
                first.signal()
                second.wait()
                done.add(1, ordering: .relaxed)
            } != nil)
        #expect(
            readers.submit(of: 1) { _ in
                second.signal()
                first.wait()
                done.add(1, ordering: .relaxed)
            } != nil)
        readers.close()
        #expect(done.load(ordering: .relaxed) == 2)
    }
}
