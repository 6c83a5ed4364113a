import Memory
import Protobuf
package import RelationModel
import Storage

extension FriendCheck {
    /// Says how `owner` and `user` stand to each other: the rule reads their rows with a recorder,
    /// and the rows are read for their versions.
    ///
    /// Everything is of the moment of `transaction`, the settings of the app too.
    ///
    /// - Parameter user: The id as the request has it.
    /// - Returns: The finding of ``run(_:of:_:app:asking:in:_:)`` with its rungs; its answer is nil
    ///   if the owner is not an account.
    /// - Throws: ``StorageError`` if the store failed, or if the arena is full.
    package static func explain(
        _ user: String, of owner: UserID, _ type: CheckType, at now: Timestamp, app: App,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> Explanation<Finding?> {
        var rows = try RungRows(
            of: owner, and: UserID(user), at: now, app: app, in: transaction)
        rows.addType = type == .unidirection ? .single : .both
        let arena = transaction.arena
        let mark = arena.mark()
        defer { arena.rewind(to: mark) }
        var ladder = NotedRungs()
        var finding: Finding?
        let bytes = Array(user.utf8)
        guard let copy = bytes.withUnsafeBytes({ arena.copy($0) }) else { throw .callIsFull }
        let names = [Text(borrowing: copy)]
        let found = try names.withUnsafeBufferPointer { (names) throws(StorageError) in
            try run(
                names, of: owner, type, app: rows.app, noting: &ladder, in: transaction, arena)
        }
        finding = found?.first
        return try rows.explanation(of: finding, by: ladder)
    }
}
