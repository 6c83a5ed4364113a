import Memory
import Protobuf
import RelationModel
import RelationSuite
import Storage

@testable import RelationCore

/// A use of the read cache, as the tests of its rules see it: a value of each user, in words.
enum CacheUse: CaseIterable {
    case names, friendLists, profiles, friendRows, adjacency

    static let friends: [UserID] = (0..<10).map { UserID(stored: "friend \($0)".utf8) }

    /// A world with users A and B, whose cache for this use has these bounds.
    func world(
        bytes: Int = 1 << 20, slots: Int = 1 << 10, isOnlyWriter: Bool = true
    ) throws -> World {
        let clock = CommitClock(isOnlyWriter: isOnlyWriter)
        let world: World
        switch self {
        case .names, .friendLists:
            let names = NameCache(
                nameBytes: bytes, friendListBytes: bytes, invalidationSlots: slots, clock: clock)
            world = try World("A", "B", names: names)
        case .profiles:
            let profiles = StoredProfiles(bytes: bytes, invalidationSlots: slots, clock: clock)
            world = try World("A", "B", profiles: profiles)
        case .friendRows:
            let friends = StoredFriends(bytes: bytes, invalidationSlots: slots, clock: clock)
            world = try World("A", "B", friends: friends)
        case .adjacency:
            let adjacency = AdjacencyCache(bytes: bytes, invalidationSlots: slots, clock: clock)
            world = try World("A", "B", adjacency: adjacency)
        }
        try world.create(Self.friends)
        return world
    }

    /// The reading of this use in metrics.
    func reading(in world: World) -> CacheReading {
        let name =
            switch self {
            case .names: "names"
            case .friendLists: "friend_lists"
            case .profiles: "profiles"
            case .friendRows: "friend_rows"
            case .adjacency: "adjacency"
            }
        return world.memory.readings.first { $0.name == name }?.reading ?? CacheReading()
    }

    /// Changes the value of `user`, for each number in another way.
    func change(_ number: Int, of user: UserID, in ledger: Ledger) throws(StorageError) {
        switch self {
        case .names, .profiles:
            var values = ProfileRecord()
            values.nick = "nick \(number)"
            _ = try Profiles.update(user, values, fields: [.nick], expectedVersion: nil, in: ledger)
        case .friendLists, .friendRows, .adjacency:
            var row = FriendImport.Row(owner: user, friend: Self.friends[number])
            row.values.remark = "remark \(number)"
            _ = try FriendImport.write(row, notify: false, in: ledger)
        }
    }

    // MARK: Reading

    /// The value of `user` from the cache of `asked`, or from rows, which are inserted then.
    func value(
        of user: UserID, asking asked: CacheLookup, _ app: App,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> String {
        let (cache, readVersion) = (asked.memory, asked.readVersion)
        switch self {
        case .names:
            return try cache.names.names(
                of: [user], app: app, at: readVersion, in: transaction)[0].nick
        case .friendLists:
            let list = try cache.names.namedFriends(
                of: user, app: app, at: readVersion, in: transaction)
            return list.members.map { "\($0.user) \($0.remark)" }.joined(separator: ", ")
        case .profiles:
            var nick = ""
            try cache.profiles.readVisible(
                [user], by: user, isAdmin: true, app: app, at: readVersion, in: transaction
            ) { _, seen in nick = "\(seen?.profile.bytes ?? [])" }
            return nick
        case .friendRows:
            let rows =
                if let rows = cache.friends.rows(of: user, app: app, at: readVersion) {
                    rows
                } else {
                    try cache.friends.load(
                        of: user, app: app, count: 0, at: readVersion, in: transaction)
                }
            return rows.map(Self.words) ?? "too long"
        case .adjacency:
            try asked.finishLoads(in: transaction)
            var friends = cache.adjacency.friends(of: user, app: app.id, at: readVersion)
            if friends == nil {
                var found: [UserID] = []
                let table = Tables.friendNames
                try table.scan(
                    table.all(of: app.partition(of: user)), limit: .max, in: transaction
                ) { friend, _ in
                    found.append(friend)
                    return .more
                }
                friends = found
            }
            return "\(friends ?? [])"
        }
    }

    private static func words(_ rows: StoredFriendRows) -> String {
        rows.withView { view in
            friends.map { friend in
                var text = friend.text
                return text.withUTF8 { id in
                    "\(view.row(of: UnsafeRawBufferPointer(id)).map { [UInt8]($0) } ?? [])"
                }
            }.joined()
        }
    }

    /// Reads the value of `user` as a call does: a read version, a view, then the cache or rows.
    @discardableResult
    func read(_ user: UserID, in world: World) throws -> String {
        let asked = CacheLookup(world.memory, loading: [user], world.app)
        return try world.read { (transaction) throws(StorageError) in
            try value(of: user, asking: asked, world.app, in: transaction)
        }
    }

    /// The value of `user` as the rows have it.
    func stored(_ user: UserID, in world: World) throws -> String {
        let asked = CacheLookup(ReadCache(bytes: 0), loading: [], world.app)
        return try world.read { (transaction) throws(StorageError) in
            try value(of: user, asking: asked, world.app, in: transaction)
        }
    }

    /// The value of `user` if the cache alone serves it.
    func served(_ user: UserID, in world: World) throws -> String? {
        let asked = CacheLookup(world.memory, loading: [], world.app)
        return try? value(of: user, asking: asked, world.app, in: NoRows())
    }
}

/// A view of a store that cannot be read.
private final class NoRows: ReadTransaction {
    let arena = Arena()

    deinit { arena.free() }

    func read(
        _ keys: KeyList, _ body: (Int, UnsafeRawBufferPointer?) -> Void
    ) throws(StorageError) {
        throw StorageError(.failed, "a row is read")
    }

    func scan(
        _ range: KeyRange, _ order: ScanOrder, limit: Int,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> ScanStep
    ) throws(StorageError) {
        throw StorageError(.failed, "a row is read")
    }
}
