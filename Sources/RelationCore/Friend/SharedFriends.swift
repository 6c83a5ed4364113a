package import RelationModel
import Storage

/// Friends that two users have in common, as far as they may be seen.
///
/// A viewer that may see a user's profile beyond id, name and portrait may see its friend list too.
/// A list that is hidden from the viewer counts as empty, because one shared friend would tell who
/// is in it. A friend whose own list is hidden is counted, but not named.
package enum SharedFriends {
    /// A page of the friends that two users share.
    package struct Mutual: Equatable {
        /// How many friends they share, those of other pages and those without a name included.
        package var count = 0
        /// The friends of this page, which may be named, in the order of their ids.
        package var named: [UserID] = []
        /// Whether more friends may be named after the last one.
        package var hasMore = false
        /// Whether a list was too long to be read whole, so that there may be more.
        package var isBounded = false
    }

    /// The users that both `owner` and `other` have as a friend.
    ///
    /// No user is named or counted if `owner` may not see the list of `other`.
    ///
    /// - Parameters:
    ///   - last: The last user of the page before; nil for the first page.
    ///   - limit: The most users to name.
    ///   - asked: The memory that answers for the rows of users in use; the transaction has read a
    ///     row before.
    package static func mutual(
        of owner: UserID, with other: UserID, isAdmin: Bool, after last: UserID? = nil,
        limit: Int, app: App, asking asked: CacheLookup? = nil,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> Mutual {
        var answer = Mutual()
        let shared: [UserID]
        try asked?.finishLoads(in: transaction)
        guard
            try shows(
                [other], to: owner, isAdmin: isAdmin, app: app, asking: asked, in: transaction)[0]
        else { return answer }
        let known = asked.flatMap {
            $0.adjacency.sharedFriends(of: owner, and: other, app: app.id, at: $0.readVersion)
        }
        if let known {
            // An adjacency list has fewer members than a list that is read in part.
            shared = known.sorted()
        } else {
            let mine = try friends(
                of: owner, limit: Limits.mutualFriendRows, app, in: transaction)
            let theirs = try friends(
                of: other, limit: Limits.mutualFriendRows, app, in: transaction)
            answer.isBounded = mine.isBounded || theirs.isBounded
            let known = Set(mine.users)
            shared = theirs.users.filter(known.contains)
        }
        answer.count = shared.count
        var rest = shared.drop { user in last.map { user <= $0 } ?? false }
        while !rest.isEmpty, !answer.hasMore {
            let some = Array(rest.prefix(limit + 1))
            rest = rest.dropFirst(some.count)
            let shown = try shows(
                some, to: owner, isAdmin: isAdmin, app: app, asking: asked, in: transaction)
            answer.named += zip(some, shown).filter(\.1).map(\.0)
            answer.hasMore = answer.named.count > limit
        }
        answer.named.removeLast(max(0, answer.named.count - limit))
        return answer
    }

    /// How many friends two users share, and whether a list was too long to be read whole.
    package struct Count: Equatable {
        package let count: Int
        package let isBounded: Bool
    }

    /// How many friends `owner` shares with each of `others`; none with those whose list it may not
    /// see.
    ///
    /// - Parameters:
    ///   - rows: The most rows of the others' lists that are read together; a list that is long
    ///     gets an even share of them.
    ///   - asked: The memory that answers for the rows of users in use; the transaction has read a
    ///     row before.
    package static func counts(
        of owner: UserID, with others: [UserID], isAdmin: Bool,
        rows: Int = Limits.mutualCountRows, app: App, asking asked: CacheLookup? = nil,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> [Count] {
        try asked?.finishLoads(in: transaction)
        let shown = try shows(
            others, to: owner, isAdmin: isAdmin, app: app, asking: asked, in: transaction)
        let known = zip(others, shown).map { other, isShown -> Int? in
            guard isShown else { return 0 }
            return asked.flatMap {
                $0.adjacency.sharedFriends(of: owner, and: other, app: app.id, at: $0.readVersion)
            }?.count
        }
        let open = known.count { $0 == nil }
        // One read of the owner's list serves all lists that memory does not know.
        let mine =
            try open > 0
            ? friends(of: owner, limit: Limits.mutualFriendRows, app, in: transaction)
            : (users: [], isBounded: false)
        let friends = Set(mine.users)
        let share = min(Limits.mutualFriendRows, rows / max(1, open))
        return try zip(others, known).map { (other, known) throws(StorageError) in
            if let known { return Count(count: known, isBounded: false) }
            let theirs = try Self.friends(of: other, limit: share, app, in: transaction)
            return Count(
                count: theirs.users.count(where: friends.contains),
                isBounded: mine.isBounded || theirs.isBounded)
        }
    }

    /// The first friends in the order of their ids, and whether there are more.
    static func friends(
        of owner: UserID, limit: Int, _ app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> (users: [UserID], isBounded: Bool) {
        var users: [UserID] = []
        let table = Tables.friends
        try table.scanBytes(
            table.all(of: app.partition(of: owner)), limit: limit + 1, in: transaction
        ) { key, _ in
            guard let user = UserID(reading: key) else { return nil }
            users.append(user)
            return .more
        }
        return (Array(users.prefix(limit)), users.count > limit)
    }

    /// Whether each of `users` lets `viewer` see its friend list.
    static func shows(
        _ users: [UserID], to viewer: UserID, isAdmin: Bool, app: App,
        asking asked: CacheLookup? = nil, in transaction: any ReadTransaction
    ) throws(StorageError) -> [Bool] {
        if let asked {
            var shows = [Bool](repeating: false, count: users.count)
            try asked.memory.profiles.readVisible(
                users, by: viewer, isAdmin: isAdmin, app: app, at: asked.readVersion,
                in: transaction
            ) { index, seen in shows[index] = seen?.view.isOpen ?? false }
            return shows
        }
        let profiles = try Profiles.visible(
            users, by: viewer, isAdmin: isAdmin, app: app, in: transaction)
        return profiles.map { $0?.view.isOpen ?? false }
    }
}
