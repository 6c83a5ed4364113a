package import RelationModel
package import Storage

/// The relations between two users, the owner and the other, from the owner's point of view.
package struct FriendRelations {
    /// The owner's row, if it has the other as a friend.
    package var row: FriendRecord?
    /// Whether the other has the owner as a friend.
    package var isTheirs = false
    /// Whether the owner has the other on its blacklist.
    package var isBlocked = false
    /// Whether the other has the owner on its blacklist.
    package var isBlocking = false
    /// The owner's record of the application that it sent, if that waits.
    package var sent: PendencyRecord?
    /// The owner's record of the application that it received, if that waits.
    package var received: PendencyRecord?

    package var relation: FriendRelation {
        FriendRelation(mine: row != nil, theirs: isTheirs)
    }

    /// The relations between `owner` and each of `users`; nil for a user that is not an account.
    ///
    /// A user has no relations to itself. An application that has expired does not wait.
    package static func read(
        _ users: [UserID], of owner: UserID, at now: Timestamp, app: App,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> [FriendRelations?] {
        let mine = app.partition(of: owner)
        var heads = KeyList()
        var rows = KeyList()
        var pendencies = KeyList()
        // For each user, three rows of which only the existence counts.
        var marks = KeyList()
        for user in users {
            let theirs = app.partition(of: user)
            Tables.heads.add(theirs, OnlyKey(), to: &heads)
            Tables.friends.add(mine, user, to: &rows)
            Tables.pendencies.add(mine, PendencyKey(.sendOut, user), to: &pendencies)
            Tables.pendencies.add(mine, PendencyKey(.comeIn, user), to: &pendencies)
            Tables.friends.add(theirs, owner, to: &marks)
            Tables.blacklist.add(mine, user, to: &marks)
            Tables.blacklist.add(theirs, owner, to: &marks)
        }
        let exists = try heads.found(in: transaction)
        let marked = try marks.found(in: transaction)
        let records = try Tables.friends.records(rows, in: transaction)
        let waiting = try Tables.pendencies.records(pendencies, in: transaction)
        let everybodyExists = app.settings.makesAccountsImplicitly
        let cutoff = app.settings.expiryCutoffMs(at: now)
        return users.indices.map { index in
            guard everybodyExists || exists[index] else { return nil }
            var relations = FriendRelations()
            guard users[index] != owner else { return relations }
            relations.row = records[index]
            relations.isTheirs = marked[index * 3]
            relations.isBlocked = marked[index * 3 + 1]
            relations.isBlocking = marked[index * 3 + 2]
            let (sent, received) = (waiting[index * 2], waiting[index * 2 + 1])
            relations.sent = sent.flatMap { $0.timeMs > cutoff ? $0 : nil }
            relations.received = received.flatMap { $0.timeMs > cutoff ? $0 : nil }
            return relations
        }
    }
}
