package import RelationModel
import Storage

/// The users that have a user as a friend without being its friends.
///
/// ``BackReferences`` note them in the user's own partition, so no row of another user is read but
/// the one that says whether the account exists.
package enum ReverseFriends {
    /// A page of them, in the order of their ids.
    package struct Page: Equatable {
        /// The users of the page that are accounts.
        package var users: [UserID] = []
        /// The last user that the page looked at, if there are more after it.
        package var last: UserID?
    }

    /// The users after `last`.
    ///
    /// As in ``FriendCheck``, a row may be left of an account that is being deleted: that user is
    /// left out.
    package static func page(
        of user: UserID, after last: UserID?, limit: Int, app: App,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> Page {
        var found = try BackReferences.owners(
            on: .friends, of: app.partition(of: user), after: last, limit: limit + 1,
            in: transaction)
        let hasMore = found.count > limit
        if hasMore { found.removeLast() }
        let exist = try Accounts.exist(found, of: app, in: transaction)
        return Page(
            users: zip(found, exist).filter(\.1).map(\.0), last: hasMore ? found.last : nil)
    }

    /// How many there are; one more than ``Limits/reverseFriendsCounted`` stands for any number
    /// above it.
    package static func count(
        of user: UserID, app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> Int {
        try BackReferences.count(
            on: .friends, of: app.partition(of: user), limit: Limits.reverseFriendsCounted + 1,
            in: transaction)
    }
}
