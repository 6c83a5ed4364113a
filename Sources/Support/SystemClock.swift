package import Glibc

/// The clocks of the system.
package enum SystemClock {
    /// The time since 1970, which may be set.
    case wall
    /// The time since some moment, which never goes back and stands still while the machine is
    /// suspended.
    case monotonic
    /// The same, exact to some milliseconds, without a system call.
    case coarse
    /// The time since the machine has started, with the time in which it was suspended.
    case boot
    /// The processor time of the calling thread.
    case thread

    /// The clock's present reading.
    package var now: timespec {
        var time = timespec()
        clock_gettime(id, &time)
        return time
    }

    package var nanoseconds: UInt64 {
        let time = now
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    package var milliseconds: Int64 {
        let time = now
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }

    package var seconds: Double {
        let time = now
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private var id: clockid_t {
        switch self {
        case .wall: CLOCK_REALTIME
        case .monotonic: CLOCK_MONOTONIC
        case .coarse: CLOCK_MONOTONIC_COARSE
        case .boot: CLOCK_BOOTTIME
        case .thread: CLOCK_THREAD_CPUTIME_ID
        }
    }
}
