package import Storage

/// The view of the store that a rule reads.
package typealias ReadTransaction = Storage.ReadTransaction

extension ReadTransaction {
    /// Whether a caller should say ahead what its rules will read.
    package var wantsNotice: Bool { readsAhead }
}
