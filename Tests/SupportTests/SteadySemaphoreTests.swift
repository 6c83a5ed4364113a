import Foundation
import Support
import Synchronization
import Testing

/// A semaphore of the steady clock.
struct SteadySemaphoreTests {
    @Test func signalsAreCountedAndEachWaitTakesOne() {
        let semaphore = SteadySemaphore(value: 1)
        semaphore.signal()
        semaphore.wait()
        #expect(semaphore.wait(nanoseconds: 0))
        #expect(!semaphore.wait(nanoseconds: 0))
    }

    @Test func aWaitEndsAfterItsTimeByTheSteadyClock() {
        let semaphore = SteadySemaphore(value: 0)
        // Nanoseconds beyond a second must be carried.
        for time in [1_000_000, 1_001_000_000] as [UInt64] {
            let begin = SystemClock.monotonic.nanoseconds
            #expect(!semaphore.wait(nanoseconds: time))
            #expect(SystemClock.monotonic.nanoseconds - begin >= time)
        }
    }

    /// The thread is one of its own: those of tasks may all be busy with other tests.
    @Test(arguments: [600_000_000_000, UInt64.max])
    func aSignalOfAnotherThreadEndsAWait(time: UInt64) {
        let semaphore = SteadySemaphore(value: 0)
        let answers = SteadySemaphore(value: 0)
        Thread.detachNewThread {
            for _ in 0..<1_000 {
                semaphore.signal()
                answers.wait()
            }
        }
        var count = 0
        while count < 1_000, semaphore.wait(nanoseconds: time) {
            count += 1
            answers.signal()
        }
        #expect(count == 1_000)
    }
}
