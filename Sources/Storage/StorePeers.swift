/// The other processes that serve the same store.
///
/// All of them are equals. Each learns of the others' changes here, and holds a lease. As long as
/// it renews the lease, the others may trust that it knows the registry of apps as far as it said.
package protocol StorePeers: AnyObject, Sendable {
    /// Waits until a process of the store, which may be this one, has said that something changed.
    ///
    /// - Returns: The kinds of changes; none if the time is over. A word may be lost with a
    ///   connection, so a caller looks now and then without one.
    func wait(milliseconds: Int) throws(StorageError) -> Set<PeerNews>

    /// Renews the lease of this process, which knows that version of the registry.
    func renew(knowing version: Int64) throws(StorageError)

    /// Waits until no process holds a lease with an older version of the registry.
    ///
    /// It returns in any case when every lease has run out that may have been given before.
    func settle(_ version: Int64)

    /// Gives the lease back.
    func leave()
}

/// The kinds of changes that processes tell one another of.
package enum PeerNews: String, Sendable {
    /// There are new events in the feed of an app.
    case feed = "f"
    /// The registry has a new version.
    case registry = "r"
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
