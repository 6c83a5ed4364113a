import Storage
import Synchronization

/// The stores of a fleet, for the few calls that look into several of them.
///
/// It is made before the fleet, whose parts know it.
package final class FleetStores: Sendable {
    private struct Held {
        weak var fleet: Fleet?
    }

    private let held = Mutex(Held())

    package init() {}

    func belongs(to fleet: Fleet) { held.withLock { $0.fleet = fleet } }

    private var fleet: Fleet? { held.withLock { $0.fleet } }

    /// Reads the store of an app.
    ///
    /// - Throws: The error that `body` throws; ``StorageError`` with the code `unavailable` while
    ///   the store is away.
    func read<Result>(
        of app: UInt32, _ body: (any ReadTransaction) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        guard let fleet else { throw StorageError(.unavailable, "the server has ended") }
        return try fleet.store(of: app).read(body)
    }

    /// Reads all stores, one after another.
    ///
    /// - Parameter body: Gets a function that says whether an app lives in the store.
    /// - Throws: The error that `body` throws; ``StorageError`` with the code `unavailable` while
    ///   one of them is away.
    func readEach(
        _ body: (any ReadTransaction, (UInt32) -> Bool) throws(StorageError) -> Void
    ) throws(StorageError) {
        guard let fleet else { throw StorageError(.unavailable, "the server has ended") }
        for (name, store) in try fleet.allStores() {
            try store.read { (transaction) throws(StorageError) in
                try body(transaction) { fleet.lives($0, in: name) }
            }
        }
    }
}
