package import RelationModel
import Storage
import Synchronization

/// Names of users, and friend lists with their orders, kept in this process and bounded in size.
///
/// With it, sorting and searching a list reads no row of the engine beyond those in the answer.
///
/// Its answers are exactly what the reader's own view holds, by the rules of ``CommitClock``. The
/// names that a commit touches are forgotten before the commit can be seen. Its new names are
/// published under the commit's number after it.
package final class NameCache: Sendable {
    package let order: CommitClock
    private let state: Mutex<State>

    package init(
        nameBytes: Int = CoreLimits.nameBytes, friendListBytes: Int = CoreLimits.friendListBytes,
        rememberedTouches: Int = CoreLimits.rememberedTouches, order: CommitClock = CommitClock()
    ) {
        self.order = order
        state = Mutex(
            State(
                order: order, names: SegmentedCache(capacity: nameBytes),
                lists: SegmentedCache(capacity: friendListBytes),
                nameTouches: InvalidationLog(capacity: rememberedTouches),
                listTouches: InvalidationLog(capacity: rememberedTouches)))
    }

    /// How full the parts are.
    package var readings: (names: CacheReading, lists: CacheReading) {
        state.withLock { ($0.names.reading, $0.lists.reading) }
    }

    // MARK: The committer

    /// Forgets what the transaction touches.
    ///
    /// The committer calls it before the transaction's changes can be seen.
    package func willCommit(_ touched: Touches, in transaction: any ReadTransaction) {
        guard !touched.isEmpty else { return }
        let number = order.begin()
        let known = state.withLock { state in state.begin(number, touched) }
        // Names that were kept stay kept: the transaction sees what it wrote. If a read fails here,
        // the transaction will fail as a whole, and nothing is published.
        let names = try? Self.readNames(of: known, in: transaction)
        guard let names else { return }
        state.withLock { $0.fresh = Array(zip(known, names)) }
    }

    /// Publishes what the transaction wrote.
    ///
    /// The committer calls it before it answers any caller.
    ///
    /// - Parameter succeeded: Whether the transaction was committed.
    package func didCommit(_ succeeded: Bool) {
        state.withLock { $0.end(succeeded) }
        order.end()
    }

    // MARK: Readers

    /// The read version for a view that is taken after this call.
    package func readVersion() -> ReadVersion { order.readVersion() }

    /// The names of `users`; those of a user that is not an account are empty.
    package func names(
        of users: [UserID], app: App, at readVersion: ReadVersion,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> [Names] {
        var names: [Names] = []
        names.reserveCapacity(users.count)
        var rest = users[...]
        // Other callers wait for the lock, so it is released after every 512 users.
        while !rest.isEmpty {
            let part = rest.prefix(512).map { AppUser(app: app.id, user: $0) }
            rest = rest.dropFirst(512)
            names += try self.names(of: part, at: readVersion, in: transaction)
        }
        return names
    }

    /// The names of `users` as `viewer` may know them.
    package func names(
        of users: [UserID], for viewer: UserID, app: App, at readVersion: ReadVersion,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> [Names] {
        var names = try names(of: users, app: app, at: readVersion, in: transaction)
        try names.mask(of: users, for: viewer, app: app, in: transaction)
        return names
    }

    private func names(
        of users: [AppUser], at readVersion: ReadVersion, in transaction: any ReadTransaction
    ) throws(StorageError) -> [Names] {
        var names = state.withLock { state in users.map { state.name(of: $0, at: readVersion) } }
        let missing = names.indices.filter { names[$0] == nil }
        guard !missing.isEmpty else { return names.compactMap(\.self) }
        let read = try Self.readNames(of: missing.map { users[$0] }, in: transaction)
        for (index, found) in zip(missing, read) { names[index] = found }
        state.withLock { state in
            for (index, found) in zip(missing, read) {
                state.keep(found, of: users[index], at: readVersion)
            }
        }
        return names.compactMap(\.self)
    }

    /// The friend list of `owner`, with the names that the owner may know.
    package func namedFriends(
        of owner: UserID, app: App, at readVersion: ReadVersion, in transaction: any ReadTransaction
    ) throws(StorageError) -> NamedFriendList {
        let appUser = AppUser(app: app.id, user: owner)
        let kept = state.withLock { $0.namedFriends(of: appUser, app: app, at: readVersion) }
        if let kept, let touched = kept.touched {
            let changed = touched.filter { $0.app == app.id && kept.namedFriends.contains($0.user) }
            if changed.isEmpty {
                state.withLock { $0.confirm(kept, of: appUser) }
                return kept.namedFriends
            }
            let namedFriends = try kept.namedFriends.renewing(
                Set(changed.map(\.user)), by: self, app: app, at: readVersion, in: transaction)
            state.withLock { $0.keep(namedFriends, of: appUser, at: readVersion) }
            return namedFriends
        }
        let namedFriends = try NamedFriendList(
            of: owner, app: app, by: self, at: readVersion, in: transaction)
        state.withLock { $0.keep(namedFriends, of: appUser, at: readVersion) }
        return namedFriends
    }

    private static func readNames(
        of users: [AppUser], in transaction: any ReadTransaction
    ) throws(StorageError) -> [Names] {
        guard !users.isEmpty else { return [] }
        var keys = KeyList()
        keys.reserve(users.count)
        for appUser in users {
            Tables.profiles.add(appUser.app, appUser.user.text.utf8, OnlyKey(), to: &keys)
        }
        return try Tables.profiles.records(keys, in: transaction).map(Names.init)
    }

    // MARK: For tests

    /// The cost of the names and of the lists that are kept.
    package var cost: (names: Int, lists: Int) {
        state.withLock { ($0.names.cost, $0.lists.cost) }
    }
}

/// A friend list in the cache, and the users whose names have changed since it was last checked.
private struct KeptFriendList {
    let namedFriends: NamedFriendList
    let since: UInt64
    /// No name in the list has changed up to this commit.
    var checked: UInt64
    /// Nil if the changes are too many, or no longer remembered.
    var touched: [AppUser]?
}

private struct State {
    let order: CommitClock
    /// The latest commit that touched anything here; it may be under way.
    var latest: UInt64 = 0
    var names: SegmentedCache<AppUser, (names: Names, since: UInt64)>
    var lists: SegmentedCache<AppUser, KeptFriendList>
    var nameTouches: InvalidationLog
    var listTouches: InvalidationLog
    /// Names that the commit under way will publish.
    var fresh: [(AppUser, Names)] = []

    init(
        order: CommitClock, names: SegmentedCache<AppUser, (names: Names, since: UInt64)>,
        lists: SegmentedCache<AppUser, KeptFriendList>, nameTouches: InvalidationLog,
        listTouches: InvalidationLog
    ) {
        self.order = order
        self.names = names
        self.lists = lists
        self.nameTouches = nameTouches
        self.listTouches = listTouches
    }

    /// - Returns: The users whose names were kept until now.
    mutating func begin(_ number: UInt64, _ touched: Touches) -> [AppUser] {
        latest = number
        fresh = []
        for owner in touched.lists {
            listTouches.touch(owner, in: number)
            lists.remove(owner)
        }
        var known: [AppUser] = []
        for user in touched.names {
            nameTouches.touch(user, in: number)
            if names.remove(user) != nil { known.append(user) }
        }
        return known
    }

    mutating func end(_ succeeded: Bool) {
        if succeeded {
            for (user, name) in fresh {
                names.set(user, to: (name, since: latest), cost: name.cost)
            }
        }
        fresh = []
    }

    mutating func name(of user: AppUser, at readVersion: ReadVersion) -> Names? {
        guard let kept = names.value(of: user), order.isExact(kept.since, at: readVersion) else {
            return nil
        }
        return kept.names
    }

    mutating func keep(_ found: Names, of user: AppUser, at readVersion: ReadVersion) {
        guard !nameTouches.mayHaveTouched(user, after: readVersion.commit) else { return }
        names.set(user, to: (found, since: readVersion.commit), cost: found.cost)
    }

    mutating func namedFriends(of owner: AppUser, app: App, at readVersion: ReadVersion)
        -> KeptFriendList?
    {
        guard var kept = lists.value(of: owner), order.isExact(kept.since, at: readVersion),
            kept.namedFriends.defaultVisibility == app.settings.defaultVisibility
        else { return nil }
        kept.touched = nameTouches.users(
            after: kept.checked, limit: CoreLimits.comparedTouches)
        kept.checked = latest
        return kept
    }

    /// Notes that no name in the list has changed up to `kept.checked`.
    mutating func confirm(_ kept: KeptFriendList, of owner: AppUser) {
        guard let present = lists.value(of: owner), present.namedFriends === kept.namedFriends
        else { return }
        var confirmed = kept
        confirmed.touched = nil
        confirmed.checked = max(present.checked, kept.checked)
        lists.set(owner, to: confirmed, cost: kept.namedFriends.cost)
    }

    mutating func keep(
        _ namedFriends: NamedFriendList, of owner: AppUser, at readVersion: ReadVersion
    ) {
        guard !listTouches.mayHaveTouched(owner, after: readVersion.commit) else { return }
        let kept = KeptFriendList(
            namedFriends: namedFriends, since: readVersion.commit, checked: readVersion.commit)
        lists.set(owner, to: kept, cost: namedFriends.cost)
    }
}
