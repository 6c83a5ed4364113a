package import RelationModel
import Storage
import Synchronization

/// Names of users, and friend lists with their orders: two uses of ``VersionedCache``.
///
/// With it, sorting and searching a list reads no row of the engine beyond those in the answer.
///
/// A list has the names of others in it, and a commit that changes one of these does not touch it.
/// So a list is compared with the log of names that commits touched, before it is served.
package final class NameCache: CachePart {
    package let clock: CommitClock
    private let names: VersionedCache<Names>
    private let lists: VersionedCache<NamedFriendList>
    private let renamed: Mutex<InvalidationLog>

    package init(
        nameBytes: Int = CoreLimits.nameBytes, friendListBytes: Int = CoreLimits.friendListBytes,
        invalidationSlots: Int = CoreLimits.invalidationSlots,
        loggedNames: Int = CoreLimits.loggedNames, clock: CommitClock = CommitClock()
    ) {
        self.clock = clock
        names = VersionedCache(
            bytes: nameBytes, invalidationSlots: invalidationSlots, clock: clock)
        lists = VersionedCache(
            bytes: friendListBytes, invalidationSlots: invalidationSlots, clock: clock)
        renamed = Mutex(InvalidationLog(capacity: loggedNames))
    }

    package var readings: [(name: String, reading: CacheReading)] {
        [("names", names.reading), ("friend_lists", lists.reading)]
    }

    // MARK: The committer

    package func willCommit(_ version: UInt64, of transaction: WatchedTransaction) {
        let touched = transaction.touched
        lists.invalidate(touched.lists, in: version)
        var inUse: [AppUser] = []
        names.invalidate(touched.names, in: version) { inUse.append($0) }
        guard lists.isOn || names.isOn, !touched.names.isEmpty else { return }
        renamed.withLock { log in
            for user in touched.names { log.append(user, in: version) }
        }
        guard !inUse.isEmpty else { return }
        // Names in use stay in use: the transaction sees what it wrote. If a read fails here, the
        // transaction will fail as a whole, and nothing is published.
        let values = try? Self.read(inUse, in: transaction)
        if let values { names.stage(Array(zip(inUse, values))) }
    }

    package func didCommit(_ succeeded: Bool) {
        names.didCommit(succeeded)
        lists.didCommit(succeeded)
    }

    // MARK: Readers

    /// The names of `users`; those of a user that is not an account are empty.
    package func names(
        of users: [UserID], app: App, at readVersion: ReadVersion,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> [Names] {
        var found: [Names] = []
        found.reserveCapacity(users.count)
        var rest = users[...]
        // Other callers wait for the lock, so it is released after every 512 users.
        while !rest.isEmpty {
            let part = Array(rest.prefix(512))
            rest = rest.dropFirst(512)
            let values = try names.values(of: part, in: app.id, at: readVersion) {
                (missing) throws(StorageError) in
                try Self.read(missing.map { AppUser(app: app.id, user: $0) }, in: transaction)
            }
            found += values.compactMap(\.self)
        }
        return found
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

    /// The friend list of `owner`, with the names that the owner may know.
    package func namedFriends(
        of owner: UserID, app: App, at readVersion: ReadVersion, in transaction: any ReadTransaction
    ) throws(StorageError) -> NamedFriendList {
        let user = AppUser(app: app.id, user: owner)
        let namedFriends: NamedFriendList
        if let entry = lists.value(of: user, at: readVersion),
            entry.defaultVisibility == app.settings.defaultVisibility,
            entry.fieldDefaults == app.settings.fieldDefaults,
            let renamed = renamed.withLock({
                $0.users(after: entry.checkedVersion, limit: CoreLimits.comparedNames)
            })
        {
            let changed = renamed.filter { $0.app == app.id && entry.contains($0.user) }
            guard !changed.isEmpty else {
                entry.noteChecked(at: readVersion)
                return entry
            }
            namedFriends = try entry.renewing(
                Set(changed.map(\.user)), by: self, app: app, at: readVersion, in: transaction)
        } else {
            namedFriends = try NamedFriendList(
                of: owner, app: app, by: self, at: readVersion, in: transaction)
        }
        lists.insert(namedFriends, of: user, at: readVersion)
        return namedFriends
    }

    private static func read(
        _ users: [AppUser], in transaction: any ReadTransaction
    ) throws(StorageError) -> [Names] {
        var keys = KeyList()
        keys.reserve(users.count)
        for appUser in users {
            Tables.profiles.add(appUser.app, appUser.user.text.utf8, OnlyKey(), to: &keys)
        }
        return try Tables.profiles.records(keys, in: transaction).map(Names.init)
    }
}
