/// The keys of an app's rows that change while the app moves to another database.
///
/// One mover of an app has it at a time. It says again and again that it is there; one that has
/// been silent for ``MoveLogLimits/silenceMilliseconds`` may be replaced.
package protocol MoveLog: AnyObject {
    /// Makes the caller the mover, and ends the sessions of the one before.
    ///
    /// - Parameter force: Whether it replaces one that was there just now.
    /// - Throws: ``StorageError`` with the code `locked` if another mover is there.
    func take(force: Bool) throws(StorageError)

    /// Says that the mover is there.
    ///
    /// - Throws: ``StorageError`` with the code `locked` if another one has replaced it.
    func beat() throws(StorageError)

    /// Notes each change from now on.
    ///
    /// - Returns: Whether every change was noted since an earlier call: then none is missing.
    /// - Throws: ``StorageError`` with the code `unavailable` if others hold the table for long;
    ///   `locked` if another mover has replaced the caller.
    func begin() throws(StorageError) -> Bool

    /// The first changes that were noted, at most `limit`; a key may come several times.
    func changes(limit: Int) throws(StorageError) -> [MoveChange]

    /// Forgets these changes, and no other one of the same keys.
    func forget(_ numbers: [Int64]) throws(StorageError)

    /// Notes no further change, and forgets those that it has.
    ///
    /// - Throws: ``StorageError`` with the code `locked` if another mover has replaced the caller.
    func end() throws(StorageError)

    /// Says that no mover is there any more.
    func leave() throws(StorageError)
}

/// A change of a row, under the number by which it is forgotten.
package struct MoveChange: Sendable {
    package let number: Int64
    package let key: Key

    package init(number: Int64, key: Key) {
        (self.number, self.key) = (number, key)
    }
}

package enum MoveLogLimits {
    /// How long a mover may say nothing before another one replaces it.
    package static let silenceMilliseconds = 20_000
}
