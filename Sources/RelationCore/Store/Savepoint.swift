package import Storage

/// A state of the rows to which a write can go back.
package typealias Savepoint = Storage.Savepoint
