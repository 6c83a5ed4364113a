import RelationCore
import RelationModel
import RelationSuite
import Storage
import StorageSuite
import Testing

/// The cache returns exactly what the reader's own view holds, whatever is committed around it.
@Suite struct NameCacheTests {
    private func nick(of user: UserID, in world: World) throws -> String {
        let readVersion = world.names.readVersion()
        return try world.read { (transaction) throws(StorageError) in
            try world.names.names(
                of: [user], app: world.app, at: readVersion, in: transaction)[0].nick
        }
    }

    private func rename(_ user: UserID, _ nick: String, in world: World) throws(StorageError) {
        _ = try world.setProfile(of: user, [.nick]) { $0.nick = nick }
    }

    @Test func aNameInUseIsPublishedWithItsCommit() throws {
        let store = CountingStore()
        let world = try World("A", on: store)
        try rename("A", "old", in: world)
        #expect(try nick(of: "A", in: world) == "old")
        try rename("A", "new", in: world)
        _ = store.take()
        #expect(try nick(of: "A", in: world) == "new")
        #expect(store.take() == CountingStore.Counts())
    }

    // MARK: Friend lists

    private func namedFriends(of owner: UserID, in world: World) throws -> [String] {
        let readVersion = world.names.readVersion()
        return try world.read { (transaction) throws(StorageError) in
            try Self.list(
                world.names.namedFriends(
                    of: owner, app: world.app, at: readVersion, in: transaction))
        }
    }

    private static func list(_ namedFriends: NamedFriendList) -> [String] {
        namedFriends.members.map {
            "\($0.user) \($0.remark) \($0.displayName(.firstName)) \($0.names)"
        }
    }

    /// The list as it is read if nothing is kept.
    private static func fresh(
        _ owner: UserID, _ app: App, _ transaction: any ReadTransaction
    ) throws(StorageError) -> [String] {
        let cache = NameCache()
        return list(
            try cache.namedFriends(of: owner, app: app, at: cache.readVersion(), in: transaction))
    }

    private static let users: [UserID] = ["A", "B", "C", "D", "E"]

    /// Makes one random change that lists may show.
    private static func step(
        _ world: World, _ numbers: inout SeededNumbers
    ) throws(StorageError) {
        let one = users[Int.random(in: 0..<5, using: &numbers)]
        let other = users[Int.random(in: 0..<5, using: &numbers)]
        let text = ["", "x", "y", "王"][Int.random(in: 0..<4, using: &numbers)]
        switch Int.random(in: 0..<14, using: &numbers) {
        case 0: _ = try world.setProfile(of: one, [.nick]) { $0.nick = text }
        case 1: _ = try world.setProfile(of: one, [.firstName]) { $0.firstName = text }
        case 2: _ = try world.setProfile(of: one, [.name]) { $0.name = text }
        case 3:
            let choices: [Visibility] = [
                .notSet, .invisible, .everyone, .friends, .followers,
            ]
            let choice = choices[Int.random(in: 0..<5, using: &numbers)]
            _ = try world.call(by: one) { (ledger) throws(StorageError) in
                try Profiles.setVisibility(choice, of: one, in: ledger)
            }
        case 4: _ = try world.add(other, to: one, .both)
        case 5: _ = try world.importFriend(other, of: one) { $0.remark = text }
        case 6: _ = try world.delete(other, from: one, .single)
        case 7: _ = try world.block(other, by: one)
        case 8: _ = try world.follow(one, other)
        case 9: _ = try world.unfollow(one, other)
        case 10: _ = try world.importFriend(other, of: one) { $0.groups = ["close"] }
        case 11: _ = try world.importFriend(other, of: one) { $0.groups = [] }
        case 12:
            let field = ["first_name", "name"][Int.random(in: 0..<2, using: &numbers)]
            let choices: [Visibility] = [.notSet, .invisible, .everyone, .friends, .groups]
            let choice = choices[Int.random(in: 0..<5, using: &numbers)]
            // Without such a group the choice is refused.
            try world.show(
                one, [Profiles.FieldChoice(field, choice, choice == .groups ? ["close"] : [])])
        default: _ = try world.unblock(other, by: one)
        }
    }

    @Test(arguments: [
        (AppSettings.tim, CoreLimits.friendListBytes, CoreLimits.invalidationSlots),
        (AppSettings.rongCloud, CoreLimits.friendListBytes, 2), (AppSettings.tim, 9_000, 4),
    ])
    func afterEveryChangeEveryListIsWhatTheEngineHolds(
        settings: AppSettings, bytes: Int, slots: Int
    ) throws {
        var settings = settings
        settings.keepsFriendshipOnBlacklist = true
        let seed = UInt64.random(in: 0...UInt64.max)
        var numbers = SeededNumbers(seed: seed)
        let world = try World(
            settings: settings,
            names: NameCache(
                nameBytes: bytes, friendListBytes: bytes, invalidationSlots: slots,
                loggedNames: slots))
        try world.create(Self.users)
        for number in 0..<600 {
            try Self.step(world, &numbers)
            // Not every owner reads each time: an entry stays for several changes.
            for owner in Self.users where Bool.random(using: &numbers) {
                let expected = try world.read { (transaction) throws(StorageError) in
                    try Self.fresh(owner, world.app, transaction)
                }
                let found = try namedFriends(of: owner, in: world)
                #expect(found == expected, "seed \(seed), step \(number)")
                if found != expected { return }
            }
        }
    }

    @Test func whileOthersWriteEveryReaderSeesItsOwnView() async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        let store = MemoryStore()
        let cache = NameCache(invalidationSlots: 64, loggedNames: 64)
        let world = try World(on: store, names: cache)
        try world.create(Self.users)
        let app = world.app
        let wrong = await withTaskGroup(of: String?.self) { group in
            for reader in 0..<3 {
                group.addTask {
                    var numbers = SeededNumbers(seed: seed &+ UInt64(reader))
                    // Readers end by themselves: a reader that waited for the writer could starve
                    // it.
                    for _ in 0..<400 {
                        let owner = Self.users[Int.random(in: 0..<5, using: &numbers)]
                        let readVersion = cache.readVersion()
                        let lists = try? store.read { (transaction) throws(StorageError) in
                            let kept = try cache.namedFriends(
                                of: owner, app: app, at: readVersion, in: transaction)
                            return (
                                Self.list(kept), try Self.fresh(owner, app, transaction)
                            )
                        }
                        guard let lists, lists.0 == lists.1 else {
                            return "seed \(seed): \(String(describing: lists))"
                        }
                        await Task.yield()
                    }
                    return nil
                }
            }
            var numbers = SeededNumbers(seed: seed)
            var problem: String?
            for _ in 0..<400 {
                do { try Self.step(world, &numbers) } catch { problem = "\(error)" }
                await Task.yield()
            }
            for await found in group { problem = problem ?? found }
            return problem
        }
        #expect(wrong == nil)
    }
}
