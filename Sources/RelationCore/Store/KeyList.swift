package import Storage

/// The rows that a write will read.
package typealias KeyList = Storage.KeyList

extension KeyList {
    /// A list to which the rules of a write add what they will read.
    package static var empty: KeyList { KeyList() }
}
