import Memory
import Protobuf
package import RelationModel
import Storage

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
    ///
    /// - Parameter asked: The memory that knows which rows there are; the transaction has read a
    ///   row before.
    package static func read(
        _ users: [UserID], of owner: UserID, at now: Timestamp, app: App,
        asking asked: CacheLookup? = nil, in transaction: any ReadTransaction
    ) throws(StorageError) -> [FriendRelations?] {
        if let asked {
            let known = try known(users, of: owner, at: now, app: app, asked, in: transaction)
            if let known { return known }
        }
        let mine = app.partition(of: owner)
        var userRecords = KeyList()
        var rows = KeyList()
        var pendencies = KeyList()
        // For each user, three rows of which only the existence counts.
        var marks = KeyList()
        for user in users {
            let theirs = app.partition(of: user)
            Tables.userRecords.add(theirs, OnlyKey(), to: &userRecords)
            Tables.friends.add(mine, user, to: &rows)
            Tables.pendencies.add(mine, PendencyKey(.sendOut, user), to: &pendencies)
            Tables.pendencies.add(mine, PendencyKey(.comeIn, user), to: &pendencies)
            Tables.friends.add(theirs, owner, to: &marks)
            Tables.blacklist.add(mine, user, to: &marks)
            Tables.blacklist.add(theirs, owner, to: &marks)
        }
        let exists = try userRecords.found(in: transaction)
        let marked = try marks.found(in: transaction)
        let records = try Tables.friends.records(rows, in: transaction)
        let waiting = try Tables.pendencies.records(pendencies, in: transaction)
        let everyUserExists = app.settings.makesAccountsImplicitly
        let cutoff = app.settings.expiryCutoffMs(at: now)
        return users.indices.map { index in
            guard everyUserExists || exists[index] else { return nil }
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

    /// The relations by adjacency lists, with which only the rows that there are need a read; nil
    /// if the owner's adjacency list is not known.
    private static func known(
        _ users: [UserID], of owner: UserID, at now: Timestamp, app: App, _ asked: CacheLookup,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> [FriendRelations?]? {
        let arena = transaction.arena
        let mark = arena.mark()
        defer { arena.rewind(to: mark) }
        let names = users.compactMap { arena.text($0.text) }
        guard names.count == users.count, !users.isEmpty else { return nil }
        return try names.withUnsafeBufferPointer { (names) throws(StorageError) in
            let pairs = try KnownPairs.read(
                names, of: owner, provedBy: [], app: app, asking: asked, in: transaction, arena)
            guard let pairs else { return nil }
            return try relations(users, of: owner, pairs, at: now, app: app, in: transaction)
        }
    }

    private static func relations(
        _ users: [UserID], of owner: UserID, _ pairs: KnownPairs, at now: Timestamp, app: App,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> [FriendRelations?]? {
        let mine = owner.text.utf8
        var rows = KeyList()
        var pendencies = KeyList()
        var found: [FriendRelations?] = []
        found.reserveCapacity(users.count)
        for (index, user) in users.enumerated() {
            guard pairs.state(index) == .found else {
                found.append(nil)
                continue
            }
            var relations = FriendRelations()
            if !pairs.isOwner(index) {
                let facts = pairs.facts(index)
                relations.isTheirs = facts.isTheirs
                relations.isBlocked = facts.isBlocked
                relations.isBlocking = facts.isBlocking
                if facts.isMine { Tables.friends.add(app.id, mine, user, to: &rows) }
                if facts.hasSent {
                    Tables.pendencies.add(
                        app.id, mine, PendencyKey(.sendOut, user), to: &pendencies)
                }
                if facts.hasReceived {
                    Tables.pendencies.add(app.id, mine, PendencyKey(.comeIn, user), to: &pendencies)
                }
            }
            found.append(relations)
        }
        let records = rows.count > 0 ? try Tables.friends.records(rows, in: transaction) : []
        let waiting =
            pendencies.count > 0 ? try Tables.pendencies.records(pendencies, in: transaction) : []
        var (nextRow, nextWaiting) = (records.makeIterator(), waiting.makeIterator())
        let cutoff = app.settings.expiryCutoffMs(at: now)
        for index in users.indices where found[index] != nil && !pairs.isOwner(index) {
            let facts = pairs.facts(index)
            // A row that an adjacency list states and the view does not have would be an error of
            // ours.
            if facts.isMine {
                guard let row = nextRow.next() ?? nil else { return nil }
                found[index]?.row = row
            }
            if facts.hasSent {
                guard let record = nextWaiting.next() ?? nil else { return nil }
                if record.timeMs > cutoff { found[index]?.sent = record }
            }
            if facts.hasReceived {
                guard let record = nextWaiting.next() ?? nil else { return nil }
                if record.timeMs > cutoff { found[index]?.received = record }
            }
        }
        return found
    }
}
