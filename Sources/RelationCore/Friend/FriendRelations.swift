package import RelationModel
package import Storage

/// Everything that two users are to each other, seen from one of them.
package struct FriendRelations {
    /// The owner's row, if it has the other as a friend.
    package var row: FriendRecord?
    /// Whether the other has the owner.
    package var isTheirs = false
    /// Whether the owner has the other on its blacklist, and the reverse.
    package var isBlocked = false
    package var isBlocking = false
    /// The owner's own records of applications that wait: the one that it sent, and the one that it
    /// received.
    package var sent: PendencyRecord?
    package var received: PendencyRecord?

    package var relation: Relation {
        Relation(mine: row != nil, theirs: isTheirs)
    }

    /// What `owner` and each of `users` are to each other, nil for one that is no account.
    ///
    /// A user is nothing to itself, and an application that has expired waits no more.
    package static func read(
        _ users: [UserID], of owner: UserID, at now: Timestamp, app: App,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> [FriendRelations?] {
        let mine = app.partition(of: owner)
        var heads = KeyList()
        var rows = KeyList()
        var pendencies = KeyList()
        // Of each user three rows of which only the existence counts.
        var marks = KeyList()
        for user in users {
            let theirs = app.partition(of: user)
            Tables.heads.add(theirs, OnlyPlace(), to: &heads)
            Tables.friends.add(mine, user, to: &rows)
            Tables.pendencies.add(mine, PendencyPlace(.sendOut, user), to: &pendencies)
            Tables.pendencies.add(mine, PendencyPlace(.comeIn, user), to: &pendencies)
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
        return users.indices.map { place in
            guard everybodyExists || exists[place] else { return nil }
            var relations = FriendRelations()
            guard users[place] != owner else { return relations }
            relations.row = records[place]
            relations.isTheirs = marked[place * 3]
            relations.isBlocked = marked[place * 3 + 1]
            relations.isBlocking = marked[place * 3 + 2]
            let (sent, received) = (waiting[place * 2], waiting[place * 2 + 1])
            relations.sent = sent.flatMap { $0.timeMs > cutoff ? $0 : nil }
            relations.received = received.flatMap { $0.timeMs > cutoff ? $0 : nil }
            return relations
        }
    }
}
