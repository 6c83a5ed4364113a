import RelationModel
import RelationSuite
import Storage
import StorageSuite
import Testing

@testable import RelationCore

/// The profiles that are kept are exactly those of the reader's own view, whatever is committed
/// around it.
@Suite struct StoredProfilesTests {
    private static let users: [UserID] = ["A", "B", "C", "D", "E"]

    /// The profiles of `users` as `viewer` sees them, in words: as kept, and as read.
    private static func both(
        _ viewer: UserID, _ kept: StoredProfiles, at readVersion: ReadVersion, _ app: App,
        _ transaction: any ReadTransaction
    ) throws(StorageError) -> (kept: [String], read: [String]) {
        var found: [String] = []
        try kept.readVisible(
            users, by: viewer, isAdmin: false, app: app, at: readVersion, in: transaction
        ) { _, seen in
            found.append(seen.map { words($0.view, $0.profile) } ?? "none")
        }
        let expected = try Profiles.visible(
            users, by: viewer, isAdmin: false, app: app, in: transaction)
        return (
            found,
            try expected.map { (seen) throws(StorageError) -> String in
                guard let seen else { return "none" }
                return words(seen.view, try StoredProfile(seen.record, transaction.arena))
            }
        )
    }

    private static func words(_ view: ProfileView, _ profile: StoredProfile) -> String {
        "\(view) \(profile.versions) \(profile.choice) \(profile.fields) \(profile.bytes) "
            + "\(profile.birthday as Any) \(profile.custom.map(\.bytes))"
    }

    private func rename(_ user: UserID, _ nick: String, in world: World) throws(StorageError) {
        _ = try world.setProfile(of: user, [.nick]) { $0.nick = nick }
    }

    /// The first read needs the user records and the profiles; a blacklist only if the user record
    /// counts one.
    @Test func whatIsKeptIsNotReadAgain() throws {
        let store = CountingStore()
        let world = try World("A", "B", "C", "D", "E", on: store)
        #expect(try world.block("D", by: "E") == .success)
        let (userRecord, profile, blacklist) = (
            Tables.userRecords.kind, Tables.profiles.kind, Tables.blacklist.kind
        )
        func counts() throws -> CountingStore.Counts {
            _ = store.take()
            let readVersion = world.profiles.readVersion()
            try world.read { (transaction) throws(StorageError) in
                try world.profiles.readVisible(
                    Self.users, by: "A", isAdmin: false, app: world.app, at: readVersion,
                    in: transaction
                ) { _, _ in }
            }
            return store.take()
        }
        #expect(try counts().keys == [userRecord: 5, profile: 5, blacklist: 1])
        #expect(try counts().keys == [blacklist: 1])
        try rename("B", "b", in: world)
        #expect(try counts().keys == [userRecord: 1, profile: 1, blacklist: 1])
        #expect(try world.block("A", by: "C") == .success)
        #expect(try counts().keys == [userRecord: 1, profile: 1, blacklist: 2])
    }

    /// Makes one random change that a viewer may see.
    private static func step(
        _ world: World, _ numbers: inout SeededNumbers
    ) throws(StorageError) {
        let one = users[Int.random(in: 0..<5, using: &numbers)]
        let other = users[Int.random(in: 0..<5, using: &numbers)]
        let text = ["", "x", "y", "王"][Int.random(in: 0..<4, using: &numbers)]
        guard try world.userRecord(of: one) != nil else {
            // The account was deleted. It can be made anew when its rows are gone.
            return Bool.random(using: &numbers) ? try world.runJobs() : try world.create([one])
        }
        switch Int.random(in: 0..<12, using: &numbers) {
        case 0: _ = try world.setProfile(of: one, [.nick]) { $0.nick = text }
        case 1: _ = try world.setProfile(of: one, [.email]) { $0.email = text }
        case 2: _ = try world.setProfile(of: one, [.birthday]) { $0.birthday = 2000_01_01 }
        case 3:
            let choices: [Visibility] = [
                .notSet, .invisible, .everyone, .friends, .followers,
            ]
            _ = try world.show(one, to: choices[Int.random(in: 0..<5, using: &numbers)])
        case 4: _ = try world.add(other, to: one, .both)
        case 5: _ = try world.delete(other, from: one, .single)
        case 6: _ = try world.unblock(other, by: one)
        case 8: _ = try world.follow(one, other)
        case 9: _ = try world.unfollow(one, other)
        case 7 where Int.random(in: 0..<3, using: &numbers) == 0: try world.deleteAccount(one)
        default: _ = try world.block(other, by: one)
        }
    }

    @Test(arguments: [
        (AppSettings.tim, CoreLimits.profileBytes, CoreLimits.invalidationSlots, false),
        (AppSettings.rongCloud, CoreLimits.profileBytes, 2, true),
        (AppSettings.tim, 2_000, 4, true),
    ])
    func afterEveryChangeEveryViewerSeesWhatTheEngineHolds(
        settings: AppSettings, bytes: Int, slots: Int, isImplicit: Bool
    ) throws {
        var settings = settings
        settings.keepsFriendshipOnBlacklist = true
        settings.makesAccountsImplicitly = isImplicit
        let seed = UInt64.random(in: 0...UInt64.max)
        var numbers = SeededNumbers(seed: seed)
        let world = try World(
            settings: settings, profiles: StoredProfiles(bytes: bytes, invalidationSlots: slots))
        try world.create(Self.users)
        for number in 0..<600 {
            try Self.step(world, &numbers)
            // Not every viewer reads each time: an entry stays for several changes.
            for viewer in Self.users where Bool.random(using: &numbers) {
                let readVersion = world.profiles.readVersion()
                let (kept, read) = try world.read { (transaction) throws(StorageError) in
                    try Self.both(viewer, world.profiles, at: readVersion, world.app, transaction)
                }
                #expect(kept == read, "seed \(seed), step \(number)")
                if kept != read { return }
            }
        }
    }

    @Test func whileOthersWriteEveryReaderSeesItsOwnView() async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        let store = MemoryStore()
        let kept = StoredProfiles(invalidationSlots: 64)
        let world = try World(on: store, profiles: kept)
        try world.create(Self.users)
        let app = world.app
        let wrong = await withTaskGroup(of: String?.self) { group in
            for reader in 0..<3 {
                group.addTask {
                    var numbers = SeededNumbers(seed: seed &+ UInt64(reader))
                    // Readers end by themselves: a reader that waited for the writer could starve
                    // it.
                    for _ in 0..<400 {
                        let viewer = Self.users[Int.random(in: 0..<5, using: &numbers)]
                        let readVersion = kept.readVersion()
                        let found = try? store.read { (transaction) throws(StorageError) in
                            try Self.both(viewer, kept, at: readVersion, app, transaction)
                        }
                        guard let found, found.kept == found.read else {
                            return "seed \(seed): \(String(describing: found))"
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
