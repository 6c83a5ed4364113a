import Glibc
package import RelationModel

/// The source of the time: the machine's clock, or a test's.
package struct ServiceClock: Sendable {
    package let now: @Sendable () -> Timestamp

    package init(_ now: @escaping @Sendable () -> Timestamp) {
        self.now = now
    }

    /// The machine's clock.
    package static let system = ServiceClock {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(
            milliseconds: Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000)
    }
}
