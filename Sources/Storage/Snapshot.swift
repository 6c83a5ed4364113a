/// The store as it was at one read version.
///
/// Any thread may read it, and several may read at once.
package protocol Snapshot: AnyObject, Sendable {
    func read<Result>(
        _ body: (any ReadTransaction) throws(StorageError) -> Result
    ) throws(StorageError) -> Result

    /// Whether it can be read no more, though it is not closed: a store over a network may lose it.
    var isLost: Bool { get }

    /// Releases the snapshot; later reads throw `unavailable`. No read may be running.
    func close()
}

extension Snapshot {
    package var isLost: Bool { false }
}
