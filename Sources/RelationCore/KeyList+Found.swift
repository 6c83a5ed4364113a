package import Storage

extension KeyList {
    /// Says for each key whether it has a row.
    package func found(in transaction: any ReadTransaction) throws(StorageError) -> [Bool] {
        var found: [Bool] = []
        found.reserveCapacity(count)
        try transaction.read(self) { _, bytes in found.append(bytes != nil) }
        return found
    }
}
