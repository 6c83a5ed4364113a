import RelationModel
import Storage

/// The users whom new records of an audit may name: those whom an erasure still reaches.
///
/// A call may be recorded long after it came: a refusal is counted for a minute, by any server of
/// the store, and a write waits for its turn. Meanwhile another server may have erased the user. So
/// the transaction that stores a record looks at the user. An erasure of an account, or of one that
/// was deleted before, begins later, and then walks through the audit with this record in it. No
/// erasure walks for a user without an account, so no record names one.
package enum AuditedUsers {
    /// `rows`, those without the user and the request id whose user no erasure would reach.
    ///
    /// - Important: The transaction has the lock of the app, or of the store, so that no deletion
    ///   of an account is committed beside it.
    package static func checked(
        _ rows: [AuditRow], of app: App, in transaction: any WriteTransaction
    ) throws(StorageError) -> [AuditRow] {
        let users = rows.map(\.userID).filter { !$0.isEmpty }
        let unreached = try unreached(among: users, of: app, in: transaction)
        return rows.map { unreached.contains(ExactText($0.userID)) ? unnamed($0) : $0 }
    }

    /// The users among `users` whom no erasure would reach: those without an account.
    ///
    /// - Important: As for ``checked(_:of:in:)``.
    static func unreached(
        among users: [String], of app: App, in transaction: any WriteTransaction
    ) throws(StorageError) -> Set<ExactText> {
        let users = Set(users.map(ExactText.init))
        guard !users.isEmpty else { return [] }
        var keys = KeyList()
        for user in users {
            let partition = app.partition(of: UserID(stored: user.text))
            Tables.userRecords.add(partition, OnlyKey(), to: &keys)
            Tables.departed.add(partition, OnlyKey(), to: &keys)
        }
        try transaction.prefetch(keys)
        var unreached: Set<ExactText> = []
        for user in users where try !isReached(user.text, of: app, in: transaction) {
            unreached.insert(user)
        }
        return unreached
    }

    private static func isReached(
        _ user: String, of app: App, in transaction: any WriteTransaction
    ) throws(StorageError) -> Bool {
        let partition = app.partition(of: UserID(stored: user))
        if try Tables.userRecords.contains(partition, OnlyKey(), in: transaction) { return true }
        // An erasure that runs may have walked through the audit already.
        let departed = try Tables.departed.record(partition, OnlyKey(), in: transaction)
        return departed?.deletion == 0
    }

    /// `row` as that of a call that acts for no user.
    private static func unnamed(_ row: AuditRow) -> AuditRow {
        var row = row
        (row.userID, row.userSalt, row.userDigest) = ("", [], [])
        (row.requestID, row.requestDigest) = ("", [])
        return row
    }
}
