package import Storage

extension KeyList {
    /// Of which keys there are rows.
    package func found(in transaction: any ReadTransaction) throws(StorageError) -> [Bool] {
        var found: [Bool] = []
        found.reserveCapacity(count)
        try transaction.read(self) { _, bytes in found.append(bytes != nil) }
        return found
    }
}
