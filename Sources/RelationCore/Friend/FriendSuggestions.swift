import Memory
import Protobuf
package import RelationModel
import Storage

/// Friends of a user's friends, whom the user may know.
package struct FriendSuggestions {
    /// One user that is suggested.
    package struct Suggestion: Equatable {
        package let user: UserID
        /// How many of the friends whose lists the owner may see have it as a friend.
        package let count: Int
        /// The first of those friends.
        package let named: [UserID]

        package var position: Position { Position(count: count, user: user) }
    }

    /// All suggestions: those with the most common friends first, then in the order of their ids.
    package private(set) var suggestions: [Suggestion] = []
    /// Whether lists were not read to their ends, so that a count may be too low.
    package private(set) var isBounded = false

    private let owner: UserID
    private let app: App
    private let now: Timestamp
    private let transaction: any ReadTransaction

    /// The position of a suggestion in the order of all.
    package struct Position: Comparable {
        package let count: Int
        package let user: UserID

        package init(count: Int, user: UserID) {
            self.count = count
            self.user = user
        }

        package static func < (one: Position, other: Position) -> Bool {
            one.count != other.count ? one.count > other.count : one.user < other.user
        }
    }

    /// The suggestions after `position`, which need not be among them any more: at most `limit`,
    /// and whether there are more.
    ///
    /// - Parameter position: That of the last suggestion of the page before; nil for the first
    ///   page.
    package func page(
        after position: Position?, limit: Int
    ) -> (suggestions: [Suggestion], hasMore: Bool) {
        let rest = suggestions.drop { suggestion in
            position.map { suggestion.position <= $0 } ?? false
        }
        return (Array(rest.prefix(limit)), rest.count > limit)
    }

    private struct Candidate {
        var count = 0
        /// The indices of the named friends among those whose lists were read.
        var named: [Int32] = []
    }

    /// Suggests at most `limit` users to `owner`.
    ///
    /// It leaves out friends of `owner`, and users that `owner` has on its blacklist or that have
    /// `owner` on theirs. It also leaves out users with whom an application waits either way, or
    /// was refused lately, those that `owner` has dismissed, and those that are suspended now. A
    /// user that has `owner` as a friend, and is not `owner`'s friend, may be suggested.
    ///
    /// A friend whose friend list `owner` may not see gives no suggestion: to an owner with few
    /// friends a suggestion, or a count, would tell who is in it.
    ///
    /// Of 3,000 friends with 3,000 friends each, not all rows are read. Each list gets an equal
    /// share of a bounded number of rows, and a shorter list leaves the rest of its share to the
    /// others.
    ///
    /// - Parameters:
    ///   - limit: The most suggestions on all pages together.
    ///   - asked: The memory that answers for the rows of users in use; the transaction has read a
    ///     row before.
    ///   - mostFriends: The most friends of the owner whose lists are read.
    ///   - rows: The most rows of those lists that are read in all.
    package init(
        to owner: UserID, isAdmin: Bool, limit: Int = Limits.suggestions, at now: Timestamp,
        app: App, asking asked: CacheLookup? = nil, in transaction: any ReadTransaction,
        friends mostFriends: Int = Limits.suggestionFriends,
        rows: Int = Limits.suggestionRows
    ) throws(StorageError) {
        self.owner = owner
        self.app = app
        self.now = now
        self.transaction = transaction
        if let asked {
            let isDone = try suggest(
                limit, asked, isAdmin: isAdmin, friends: mostFriends, rows: rows)
            if isDone { return }
            suggestions = []
        }
        let friends = try SharedFriends.friends(
            of: owner, limit: mostFriends, app, in: transaction)
        isBounded = friends.isBounded
        let isShown = try SharedFriends.shows(
            friends.users, to: owner, isAdmin: isAdmin, app: app, in: transaction)
        let sources = zip(friends.users, isShown).filter(\.1).map(\.0)
        let candidates = try candidates(from: sources, without: Set(friends.users), rows)
        var ranked = candidates.map { (user: $0.key, candidate: $0.value) }
        ranked.sort {
            Position(count: $0.candidate.count, user: $0.user)
                < Position(count: $1.candidate.count, user: $1.user)
        }
        let unwanted = try unwanted()
        var rest = ranked[...]
        while !rest.isEmpty, suggestions.count < limit {
            let some = rest.prefix(limit)
            rest = rest.dropFirst(limit)
            let isFree = try areFree(some.map(\.user))
            for (entry, isFree) in zip(some, isFree)
            where isFree && !unwanted.contains(entry.user) && suggestions.count < limit {
                suggestions.append(
                    Suggestion(
                        user: entry.user, count: entry.candidate.count,
                        named: entry.candidate.named.map { sources[Int($0)] }))
            }
        }
    }

    /// Suggests users by adjacency lists.
    ///
    /// - Returns: Whether the adjacency lists said all that it needs.
    private mutating func suggest(
        _ limit: Int, _ asked: CacheLookup, isAdmin: Bool, friends mostFriends: Int, rows: Int
    ) throws(StorageError) -> Bool {
        try asked.finishLoads(in: transaction)
        let friends = asked.adjacency.friends(of: owner, app: app.id, at: asked.readVersion)
        guard let friends, friends.count <= mostFriends else { return false }
        let isShown = try SharedFriends.shows(
            friends, to: owner, isAdmin: isAdmin, app: app, asking: asked, in: transaction)
        let sources = zip(friends, isShown).filter(\.1).map(\.0)
        let unwanted = try unwanted()
        // Some of them are not suggested in the end.
        let found = asked.adjacency.friendsOfFriends(
            of: owner, sources, limit: 2 * limit + unwanted.count, rows: rows,
            app: app.id, at: asked.readVersion)
        guard let found else { return false }
        var rest = found.users[...]
        while !rest.isEmpty, suggestions.count < limit {
            let some = rest.prefix(limit)
            rest = rest.dropFirst(limit)
            let asks = some.filter { $0.mayWait || !$0.isUnsuspended }.map(\.user)
            var isFree = zip(asks, try areFree(asks, asking: asked)).makeIterator()
            for entry in some {
                let isAsked = entry.mayWait || !entry.isUnsuspended
                let isFree = isAsked ? isFree.next()?.1 ?? false : true
                guard isFree, !unwanted.contains(entry.user), suggestions.count < limit else {
                    continue
                }
                suggestions.append(
                    Suggestion(
                        user: entry.user, count: entry.count,
                        named: entry.named.map { sources[Int($0)] }))
            }
        }
        return suggestions.count == limit || !found.hasMore
    }

    /// Whether each of `users` is free, and notes those of them that are.
    private func areFree(
        _ users: [UserID], asking asked: CacheLookup
    ) throws(StorageError) -> [Bool] {
        guard !users.isEmpty else { return [] }
        let isFree = try areFree(users)
        let arena = transaction.arena
        let mark = arena.mark()
        defer { arena.rewind(to: mark) }
        // A user that is free is an account that is not suspended.
        let accounts = zip(users, isFree).filter(\.1).compactMap { arena.text($0.0.text) }
        accounts.withUnsafeBufferPointer {
            asked.adjacency.insertAccounts(
                $0, isUnsuspended: true, of: app.id, at: asked.readVersion)
        }
        return isFree
    }

    /// The friends of `sources`, without the owner and its friends.
    private mutating func candidates(
        from sources: [UserID], without friends: Set<UserID>, _ rows: Int
    ) throws(StorageError) -> [UserID: Candidate] {
        let table = Tables.friends
        var candidates: [UserID: Candidate] = [:]
        let share = try share(of: sources, rows)
        for (index, friend) in sources.enumerated() {
            var read = 0
            try table.scanBytes(
                table.all(of: app.partition(of: friend)), limit: share + 1, in: transaction
            ) { bytes, _ in
                guard let user = UserID(reading: bytes) else { return nil }
                read += 1
                guard read <= share, user != owner, !friends.contains(user) else { return .more }
                candidates[user, default: Candidate()].count += 1
                if candidates[user]?.named.count ?? 0 < Limits.suggestionNames {
                    candidates[user]?.named.append(Int32(index))
                }
                return .more
            }
            if read > share { isBounded = true }
        }
        return candidates
    }

    /// The most rows of one list to read, so that all lists together give no more than `rows`.
    ///
    /// The short lists leave the rest of their shares to the long ones.
    private func share(of friends: [UserID], _ rows: Int) throws(StorageError) -> Int {
        var userRecords = KeyList()
        for friend in friends {
            Tables.userRecords.add(app.partition(of: friend), OnlyKey(), to: &userRecords)
        }
        let sizes = try Tables.userRecords.records(userRecords, in: transaction).map {
            Int($0?.friendCount ?? 0)
        }
        var budget = rows
        for (index, size) in sizes.sorted().enumerated() {
            let share = budget / (sizes.count - index)
            guard size <= share else { return max(1, share) }
            budget -= size
        }
        return .max - 1
    }

    /// Whether each of `users` is an account that is not suspended, with no blacklist and no open
    /// application between it and the owner, in either direction.
    private func areFree(_ users: [UserID]) throws(StorageError) -> [Bool] {
        let mine = app.partition(of: owner)
        var userRecords = KeyList()
        var blacklists = KeyList()
        var pendencies = KeyList()
        for user in users {
            let theirs = app.partition(of: user)
            Tables.userRecords.add(theirs, OnlyKey(), to: &userRecords)
            Tables.blacklist.add(mine, user, to: &blacklists)
            Tables.blacklist.add(theirs, owner, to: &blacklists)
            // Both sides' records are read, since one side may have taken its own off its list.
            for type in [PendencyType.sendOut, .comeIn] {
                Tables.pendencies.add(mine, PendencyKey(type, user), to: &pendencies)
                Tables.pendencies.add(theirs, PendencyKey(type, owner), to: &pendencies)
            }
        }
        let isOpen = try Tables.userRecords.records(userRecords, in: transaction).map { record in
            record.map { !$0.isSuspended(at: now) } ?? false
        }
        let blocked = try blacklists.found(in: transaction)
        let cutoff = app.settings.expiryCutoffMs(at: now)
        let waits = try Tables.pendencies.records(pendencies, in: transaction).map { record in
            record.map { $0.timeMs > cutoff } ?? false
        }
        return users.indices.map { index in
            isOpen[index] && !blocked[index * 2] && !blocked[index * 2 + 1]
                && !waits[(index * 4)..<(index * 4 + 4)].contains(true)
        }
    }

    /// The users with whom an application was refused lately, and those that the owner has
    /// dismissed.
    private func unwanted() throws(StorageError) -> Set<UserID> {
        let refused = try ApplicationHistory.refused(
            of: owner, after: now.advanced(byMilliseconds: -Limits.refusalMilliseconds),
            app: app, in: transaction)
        return refused.union(try Dismissals.users(of: owner, app: app, in: transaction))
    }
}
