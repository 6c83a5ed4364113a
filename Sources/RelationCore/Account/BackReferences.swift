package import RelationModel
package import Storage

/// Mentions: rows that say which other users have a user on their lists, where its own rows do not
/// say so.
///
/// A deletion must find every row that names the deleted user. The user's own lists name most
/// owners of such rows: the two sides of a friendship, and of an application, name each other.
/// Three kinds of owners remain, and are noted in the user's partition. The first have the user as
/// a friend but are not among its own friends. The second have the user on their blacklist. The
/// third have an application with the user, who has hidden its own record. So the usual friendship
/// costs no further row.
///
/// A user that a friend of it mutes or ignores is noted too, because a message server asks for that
/// on behalf of the user.
///
/// A friendship of one side is noted in both partitions. So a user's own rows say which users have
/// it as a friend, and no other rows must be read.
package enum BackReferences {
    /// Notes that `owner` has `user` as a friend from now on.
    static func friendAdded(
        _ user: UserID, of owner: UserID, in ledger: Ledger
    ) throws(StorageError) {
        if try Tables.friends.contains(ledger.partition(of: user), owner, in: ledger.transaction) {
            try removeOneSide(from: user, to: owner, in: ledger)
        } else {
            try addOneSide(from: owner, to: user, in: ledger)
        }
    }

    /// Notes that `owner` does not have `user` as a friend any more.
    static func friendRemoved(
        _ user: UserID, of owner: UserID, in ledger: Ledger
    ) throws(StorageError) {
        if try Tables.friends.contains(ledger.partition(of: user), owner, in: ledger.transaction) {
            try addOneSide(from: user, to: owner, in: ledger)
        } else {
            try removeOneSide(from: owner, to: user, in: ledger)
        }
    }

    /// Notes that `owner` has `user` as a friend, and `user` does not have `owner`.
    private static func addOneSide(
        from owner: UserID, to user: UserID, in ledger: Ledger
    ) throws(StorageError) {
        try add(owner, of: user, on: .friends, in: ledger)
        try add(user, of: owner, on: .unreturned, in: ledger)
        try ReverseCounts.note(owner, of: user, isThere: true, in: ledger)
    }

    /// Notes that both have each other as a friend, or neither does.
    private static func removeOneSide(
        from owner: UserID, to user: UserID, in ledger: Ledger
    ) throws(StorageError) {
        remove(owner, of: user, on: .friends, in: ledger)
        remove(user, of: owner, on: .unreturned, in: ledger)
        try ReverseCounts.note(owner, of: user, isThere: false, in: ledger)
    }

    /// Notes whether the row `owner → user` mutes or ignores the user: `old` is the row before, and
    /// `new` the one from now on.
    ///
    /// Most rows do neither, before and after, and write nothing here.
    static func noteMuting(
        _ user: UserID, of owner: UserID, from old: FriendRecord?, to new: FriendRecord?,
        in ledger: Ledger
    ) throws(StorageError) {
        switch (old?.isMuting ?? false, new?.isMuting ?? false) {
        case (false, true): try add(owner, of: user, on: .muting, in: ledger)
        case (true, false): remove(owner, of: user, on: .muting, in: ledger)
        default: break
        }
    }

    /// How many rows of `partition` mention a user with `list`: at most `limit` are counted.
    static func count(
        on list: Mention.List, of partition: Partition, limit: Int,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> Int {
        var count = 0
        let range = KeyRange(in: partition, prefix: [Tables.mentions.kind, list.rawValue])
        try transaction.scan(range, .ascending, limit: limit) { _, _ in
            count += 1
            return .more
        }
        return count
    }

    /// The users that the rows of `partition` mention with `list`, in the order of their ids.
    ///
    /// - Parameters:
    ///   - last: The user after which they begin; nil begins with the first.
    ///   - limit: The most users to find.
    static func owners(
        on list: Mention.List, of partition: Partition, after last: UserID? = nil,
        limit: Int = .max, in transaction: any ReadTransaction
    ) throws(StorageError) -> [UserID] {
        let mentions = Tables.mentions
        let prefix = [mentions.kind, list.rawValue]
        let range = KeyRange(
            in: partition, from: last.map { prefix + Array($0.text.utf8) + [0] } ?? prefix,
            to: KeyRange.after(prefix))
        var owners: [UserID] = []
        try mentions.scan(range, limit: limit, in: transaction) { mention, _ in
            owners.append(mention.owner)
            return .more
        }
        return owners
    }

    /// Notes that `owner` has `user` on `list`.
    static func add(
        _ owner: UserID, of user: UserID, on list: Mention.List, in ledger: Ledger
    ) throws(StorageError) {
        try Tables.mentions.set(
            EmptyRecord(), at: ledger.partition(of: user), Mention(list, owner),
            in: ledger.transaction)
    }

    static func remove(
        _ owner: UserID, of user: UserID, on list: Mention.List, in ledger: Ledger
    ) {
        Tables.mentions.remove(
            ledger.partition(of: user), Mention(list, owner), in: ledger.transaction)
    }
}

/// The row key of a mention: the list, and its owner.
package struct Mention: RowKey, Hashable {
    /// The list of the owner that names the user.
    package enum List: UInt8, Sendable {
        /// The owner has the user as a friend, and the user does not have the owner.
        case friends = 1
        /// The owner has the user on its blacklist.
        case blacklist = 2
        /// An application of the user came in to the owner, and the user has hidden its own record.
        case comeIn = 3
        /// The owner sent the user an application, and the user has hidden its own record.
        case sendOut = 4
        /// The user has the owner as a friend, and the owner does not have the user.
        case unreturned = 5
        /// The owner has the user as a friend, and its row mutes the user, perhaps no longer, or
        /// ignores it.
        case muting = 6
    }

    package let list: List
    package let owner: UserID

    package init(_ list: List, _ owner: UserID) {
        self.list = list
        self.owner = owner
    }

    package init?(reading bytes: UnsafeRawBufferPointer) {
        guard bytes.count > 1, let list = List(rawValue: bytes[0]),
            let owner = UserID(reading: UnsafeRawBufferPointer(rebasing: bytes[1...]))
        else { return nil }
        self.init(list, owner)
    }

    package func append(to bytes: inout [UInt8]) {
        bytes.append(list.rawValue)
        owner.append(to: &bytes)
    }

    package func write(to writer: inout KeyWriter) {
        writer.append(list.rawValue)
        owner.write(to: &writer)
    }
}
