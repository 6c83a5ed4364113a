package import Storage

/// The rows that a write will read.
package typealias KeyList = Storage.KeyList
