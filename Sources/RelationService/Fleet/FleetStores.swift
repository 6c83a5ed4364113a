import Storage
import Synchronization

/// The stores of a fleet, for the few calls that look into several of them.
///
/// It is made before the fleet, whose parts have it.
package final class FleetStores: Sendable {
    /// The ways to the stores, which the fleet has.
    struct Paths: Sendable {
        /// The store of an app.
        let store: @Sendable (UInt32) throws(StorageError) -> any Store
        /// All stores, each with the name of its database.
        let all: @Sendable () throws(StorageError) -> [(name: String, store: any Store)]
        /// Whether an app lives in the database of that name.
        let lives: @Sendable (UInt32, String) -> Bool
    }

    private let held = Mutex<Paths?>(nil)

    package init() {}

    /// Takes the ways to the stores; nil when the fleet ends.
    func begin(_ paths: Paths?) { held.withLock { $0 = paths } }

    private func paths() throws(StorageError) -> Paths {
        guard let paths = held.withLock({ $0 }) else {
            throw StorageError(.unavailable, "the server has ended")
        }
        return paths
    }

    /// Reads the store of an app.
    ///
    /// - Throws: The error that `body` throws; ``StorageError`` with the code `unavailable` while
    ///   the store is away.
    func read<Result>(
        of app: UInt32, _ body: (any ReadTransaction) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        try paths().store(app).read(body)
    }

    /// Reads all stores, one after another.
    ///
    /// - Parameter body: Gets a function that says whether an app lives in the store.
    /// - Throws: The error that `body` throws; ``StorageError`` with the code `unavailable` while
    ///   one of them is away.
    func readEach(
        _ body: (any ReadTransaction, (UInt32) -> Bool) throws(StorageError) -> Void
    ) throws(StorageError) {
        let paths = try paths()
        for (name, store) in try paths.all() {
            try store.read { (transaction) throws(StorageError) in
                try body(transaction) { paths.lives($0, name) }
            }
        }
    }
}
