/// The bounds of notes.
package enum NoteLimits {
    package static let posted = 1_000
    package static let read = 10_000
}

/// The times of leases.
package enum LeaseLimits {
    /// How long a lease is good, by the store's clock.
    package static let milliseconds = 3_000
    /// How often it is renewed.
    package static let renewalMilliseconds = 1_000
    /// How long a process relies on its lease, by its own clock, from before the renewal on.
    package static let reliedMilliseconds = 2_500
}
