package import RelationModel
import Storage

/// Who has a user on a list of its own, where the user's own rows do not say so.
///
/// A deletion must find every row that names the deleted user. Its own lists name most of those who
/// have such a row: both sides of a friendship and of an application name each other. What is left
/// is noted in the named user's partition: owners that have it as a friend it does not have, those
/// that block it, and those whose application it has hidden from itself. So the usual friendship
/// costs no row more.
///
/// A friendship of one side is noted on both: so a user's own rows say who has it as a friend, and
/// nobody has to be asked.
package enum Mentions {
    /// Notes that `owner` has `user` as a friend now.
    static func friendAdded(
        _ user: UserID, of owner: UserID, in ledger: Ledger
    ) throws(StorageError) {
        if try Friendship.contains(owner, of: user, app: ledger.app, in: ledger.transaction) {
            removeOneSide(from: user, to: owner, in: ledger)
        } else {
            try addOneSide(from: owner, to: user, in: ledger)
        }
    }

    /// Notes that `owner` does not have `user` as a friend any more.
    static func friendRemoved(
        _ user: UserID, of owner: UserID, in ledger: Ledger
    ) throws(StorageError) {
        if try Friendship.contains(owner, of: user, app: ledger.app, in: ledger.transaction) {
            try addOneSide(from: user, to: owner, in: ledger)
        } else {
            removeOneSide(from: owner, to: user, in: ledger)
        }
    }

    /// Notes that `owner` has `user` as a friend, which does not have it.
    private static func addOneSide(
        from owner: UserID, to user: UserID, in ledger: Ledger
    ) throws(StorageError) {
        try add(owner, of: user, on: .friends, in: ledger)
        try add(user, of: owner, on: .unreturned, in: ledger)
    }

    /// Notes that both or neither have the other as a friend.
    private static func removeOneSide(
        from owner: UserID, to user: UserID, in ledger: Ledger
    ) {
        remove(owner, of: user, on: .friends, in: ledger)
        remove(user, of: owner, on: .unreturned, in: ledger)
    }

    /// Notes that `owner` has `user` on that list.
    static func add(
        _ owner: UserID, of user: UserID, on list: Mention.List, in ledger: Ledger
    ) throws(StorageError) {
        try Tables.mentions.set(
            Nothing(), at: ledger.partition(of: user), Mention(list, owner),
            in: ledger.transaction)
    }

    static func remove(
        _ owner: UserID, of user: UserID, on list: Mention.List, in ledger: Ledger
    ) {
        Tables.mentions.remove(
            ledger.partition(of: user), Mention(list, owner), in: ledger.transaction)
    }
}

/// The place of a mention: the list, and whose it is.
package struct Mention: KeyPlace, Hashable {
    package enum List: UInt8, Sendable {
        /// The owner has the user as a friend, and the user does not have the owner.
        case friends = 1
        /// The owner blocks the user.
        case blacklist = 2
        /// The owner has a record of an application with the user, who has hidden its own.
        case comeIn = 3
        case sendOut = 4
        /// The user has the owner as a friend, and the owner does not have the user.
        case unreturned = 5
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
}
