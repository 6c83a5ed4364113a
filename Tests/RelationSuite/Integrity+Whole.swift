package import RelationCore
package import RelationModel
import Storage

extension Integrity {
    /// All errors in the rows of `user`, those about its followers and other users that name it
    /// included; none if it is not an account.
    package static func findings(
        of user: UserID, app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> [Finding] {
        var found = try ownFindings(of: user, app: app, in: transaction)
        var check = FollowersCheck(user, app, limit: 2)
        while !check.isDone { found += try check.next(in: transaction).findings }
        var naming = MentionsCheck(user, app, limit: 2)
        while !naming.isDone { found += try naming.next(in: transaction).findings }
        return found
    }

    /// Repairs all errors in the rows of `user`.
    ///
    /// - Returns: The errors that it repaired.
    package static func repair(
        _ user: UserID, in ledger: Ledger
    ) throws(StorageError) -> [Finding] {
        // The check reads the rows as they were, as a walk reads its snapshot.
        var parts: [FollowersCheck.Part] = []
        var check = FollowersCheck(user, ledger.app, limit: 2)
        while !check.isDone { parts.append(try check.next(in: ledger.transaction)) }
        var namings: [MentionsCheck.Part] = []
        var naming = MentionsCheck(user, ledger.app, limit: 2)
        while !naming.isDone { namings.append(try naming.next(in: ledger.transaction)) }
        var repaired = try repairOwn(user, in: ledger)
        for part in parts {
            repaired += try FollowersCheck.repair(part, of: user, in: ledger)
        }
        for part in namings {
            repaired += try MentionsCheck.repair(part, of: user, in: ledger)
        }
        return repaired
    }
}
