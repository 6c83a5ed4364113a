package import Storage

/// The key of a row in the list of its owner.
package typealias RowKey = Storage.RowKey

extension RowKey {
    /// The key as the store orders it.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return bytes
    }
}
