package import Storage

/// The open change of the store that a rule writes to.
package typealias WriteTransaction = Storage.WriteTransaction
