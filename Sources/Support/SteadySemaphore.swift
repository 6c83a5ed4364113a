import Glibc

/// A semaphore whose waits with a time go by a clock that never goes back.
///
/// That of Dispatch waits by the wall clock: set back by an hour, it lets a thread wait an hour
/// longer.
///
/// `@unchecked Sendable`: only the owner of the lock touches the count.
package final class SteadySemaphore: @unchecked Sendable {
    private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let rise = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var count: Int

    /// A hundred years, whose end the system's time has room for.
    private static let longest: UInt64 = 3_155_760_000_000_000_000

    package init(value: Int) {
        count = value
        pthread_mutex_init(lock, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(rise, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(rise)
        pthread_mutex_destroy(lock)
        rise.deallocate()
        lock.deallocate()
    }

    /// Raises the count, and wakes one thread that waits.
    package func signal() {
        pthread_mutex_lock(lock)
        count += 1
        pthread_cond_signal(rise)
        pthread_mutex_unlock(lock)
    }

    /// Waits until the count is above 0, and lowers it.
    package func wait() {
        pthread_mutex_lock(lock)
        while count <= 0 { pthread_cond_wait(rise, lock) }
        count -= 1
        pthread_mutex_unlock(lock)
    }

    /// Waits in this way, but for some time at most.
    ///
    /// - Returns: Whether the count was above 0 within that time.
    package func wait(nanoseconds: UInt64) -> Bool {
        var end = SystemClock.monotonic.now
        let part = UInt64(end.tv_nsec) + min(nanoseconds, Self.longest)
        end.tv_sec += Int(part / 1_000_000_000)
        end.tv_nsec = Int(part % 1_000_000_000)
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        while count <= 0 {
            // A thread may wake without a signal, and so looks again.
            guard pthread_cond_timedwait(rise, lock, &end) == 0 else { break }
        }
        guard count > 0 else { return false }
        count -= 1
        return true
    }
}
