import Dispatch
import PeerSupport
import Synchronization
import Testing

@testable import RelationCalls
@testable import RelationRuntime
@testable import RelationService

/// A thread for work beside the calls.
struct WorkThreadTests {
    @Test func workRunsInTheOrderInWhichItIsGiven() {
        let thread = WorkThread("test")
        let seen = Mutex<[Int]>([])
        for number in 0..<1_000 { thread.run { seen.withLock { $0.append(number) } } }
        thread.wait()
        #expect(seen.withLock { $0 } == Array(0..<1_000))
    }

    @Test func aDrivenThreadRunsItsWorkOnTheThreadThatWaits() {
        let thread = WorkThread("test", isDriven: true)
        let seen = Mutex<[Int]>([])
        thread.run(afterMilliseconds: 3_600_000) { seen.withLock { $0.append(0) } }
        thread.run {
            seen.withLock { $0.append(1) }
            thread.run { seen.withLock { $0.append(2) } }
        }
        #expect(seen.withLock { $0.isEmpty })
        thread.wait()
        #expect(seen.withLock { $0 } == [1, 2])
    }

    @Test func aDrivenThreadRunsOnePieceAtATimeByTheClockThatItIsGiven() {
        let now = Atomic<UInt64>(1_000_000)
        let thread = WorkThread("test", isDriven: true, clock: { now.load(ordering: .relaxed) })
        let seen = Mutex<[Int]>([])
        #expect(thread.nextTime == nil)
        #expect(!thread.runNext())
        thread.run(afterMilliseconds: 5) { seen.withLock { $0.append(2) } }
        #expect(thread.nextTime == 6_000_000)
        for number in 0..<2 { thread.run { seen.withLock { $0.append(number) } } }
        #expect(thread.nextTime == 0)
        #expect(thread.runNext())
        #expect(seen.withLock { $0 } == [0])
        #expect(thread.runNext())
        #expect(!thread.runNext())
        now.store(6_000_000, ordering: .relaxed)
        #expect(thread.runNext())
        #expect(seen.withLock { $0 } == [0, 1, 2])
        #expect(thread.nextTime == nil)
    }

    @Test func whatIsGivenBySeveralThreadsRunsOneByOne() {
        let thread = WorkThread("test")
        let running = Atomic(0)
        let most = Atomic(0)
        let count = Atomic(0)
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<200 {
                thread.run {
                    most.max(running.add(1, ordering: .relaxed).newValue, ordering: .relaxed)
                    running.subtract(1, ordering: .relaxed)
                    count.add(1, ordering: .relaxed)
                }
            }
        }
        thread.wait()
        #expect(count.load(ordering: .relaxed) == 1_600)
        #expect(most.load(ordering: .relaxed) == 1)
    }

    @Test func workForLaterRunsBehindWorkForNow() {
        let thread = WorkThread("test")
        let seen = Mutex<[String]>([])
        let done = DispatchSemaphore(value: 0)
        thread.run(afterMilliseconds: 30) {
            seen.withLock { $0.append("later") }
            done.signal()
        }
        thread.run(afterMilliseconds: 3_600_000) { seen.withLock { $0.append("never") } }
        thread.run { seen.withLock { $0.append("now") } }
        done.wait()
        thread.wait()
        #expect(seen.withLock { $0 } == ["now", "later"])
    }

    @Test func whatWasGivenRunsThoughTheThreadHasNoOwner() {
        let done = DispatchSemaphore(value: 0)
        do {
            let thread = WorkThread("test")
            thread.run { done.signal() }
        }
        done.wait()
    }

    @Test func aThreadWithoutAnOwnerEndsAndForgetsWhatWasForLater() {
        final class Held: Sendable {
            let onEnd: @Sendable () -> Void
            init(_ onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }
            deinit { onEnd() }
        }
        let ended = DispatchSemaphore(value: 0)
        do {
            let thread = WorkThread("test")
            let held = Held { ended.signal() }
            thread.run(afterMilliseconds: 3_600_000) { _ = held }
            thread.wait()
        }
        ended.wait()
    }
}
