import Glibc

/// The moment by which a call must be answered.
@usableFromInline package struct Deadline: Comparable, Sendable {
    /// When the moment comes, on ``clock``; it fits in 63 bits.
    @usableFromInline package let nanoseconds: UInt64

    /// The moment at which ``clock`` shows `nanoseconds`.
    @inlinable package init(nanoseconds: UInt64) {
        self.nanoseconds = min(nanoseconds, UInt64(Int64.max))
    }

    /// The clock of deadlines: nanoseconds that only rise.
    ///
    /// Event loops have the same one.
    package static var clock: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        // The nanoseconds of five centuries fit.
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }

    /// The longest time that a deadline is away: a hundred years, whose nanoseconds fit in 64 bits.
    private static let longest = Duration.seconds(3_155_760_000)

    /// The moment `duration` from now.
    package static func after(_ duration: Duration) -> Deadline {
        // A duration may have more seconds than fit in 64 bits.
        let (seconds, attoseconds) = min(max(duration, .zero - longest), longest).components
        let nanoseconds = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
        // The clock began less than a hundred years ago, so the sum may be below 0.
        return Deadline(nanoseconds: UInt64(max(0, Int64(clock) + nanoseconds)))
    }

    /// Whether the moment has come.
    package var isPast: Bool { nanoseconds <= Deadline.clock }

    @inlinable package static func < (one: Deadline, other: Deadline) -> Bool {
        one.nanoseconds < other.nanoseconds
    }
}
