package import Storage

/// An engine under test, with data that outlives the store that holds it.
package protocol Engine: AnyObject {
    var name: String { get }

    /// Opens the store: empty the first time, and afterwards with everything that was committed
    /// before it was closed.
    func open() throws(StorageError) -> any Store
}

/// The model as an engine: its data is that of the last store.
package final class MemoryEngine: Engine {
    package let name = "model"
    private var last: MemoryStore?

    package init() {}

    package func open() throws(StorageError) -> any Store {
        let store = last.map { MemoryStore(rowsOf: $0) } ?? MemoryStore()
        last = store
        return store
    }
}
