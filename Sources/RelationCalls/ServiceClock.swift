package import RelationModel
import Support

/// The source of the time: the machine's clock, or a test's.
package struct ServiceClock: Sendable {
    package let now: @Sendable () -> Timestamp

    package init(_ now: @escaping @Sendable () -> Timestamp) {
        self.now = now
    }

    /// The machine's clock.
    package static let system = ServiceClock {
        Timestamp(milliseconds: SystemClock.wall.milliseconds)
    }
}
