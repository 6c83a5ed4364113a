import Protobuf
import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

/// The events of every change, and their receivers, in the logs and in the app's feed.
@Suite struct EventTableTests {
    /// One change, the state before it, and the events that it makes: the receiver, the kind, and
    /// the users that the items are about.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let prepare: @Sendable (World) throws(StorageError) -> Void
        let change: @Sendable (World) throws(StorageError) -> Void
        let notified: [String]

        init(
            _ name: String, notified: [String],
            prepare: @escaping @Sendable (World) throws(StorageError) -> Void = { _ in },
            _ change: @escaping @Sendable (World) throws(StorageError) -> Void
        ) {
            testDescription = name
            self.prepare = prepare
            self.change = change
            self.notified = notified
        }
    }

    /// The users of every case.
    ///
    /// E has A and B as friends and they have E. F has A and B in its list, and no user has F.
    private static let users: [UserID] = ["A", "B", "E", "F"]

    private static func world() throws -> World {
        let world = try World("A", "B", "E", "F")
        for user: UserID in ["A", "B"] {
            world.makeFriends("E", user)
            #expect(try world.importFriend(user, of: "F") == .success)
        }
        return world
    }

    /// The events of the feed since `position`: those of the logs, and those that no log has.
    private func feed(
        _ world: World, since position: Int64
    ) throws -> [(user: UserID, event: ChangeRecord)] {
        var events: [(user: UserID, event: ChangeRecord)] = []
        let rows = try world.rows(of: Tables.feed, in: world.app.feed)
        for entry in rows.flatMap({ $0.record.entries(endingAt: Int64($0.key)) })
        where entry.position > position {
            let user = UserID(stored: entry.event.userID.utf8)
            if let event = entry.event.event {
                #expect(entry.event.sequence == 0)
                events.append((user, event))
            } else {
                let log = try world.log(of: user, after: entry.event.sequence - 1)
                if let first = log.first, first.sequence == entry.event.sequence {
                    events.append((user, first.1))
                }
            }
        }
        return events
    }

    private func words(_ user: UserID, _ event: ChangeRecord) -> String {
        let name = "\(event.kind.name ?? "")".dropFirst("CHANGE_KIND_".count)
        return (["\(user)", "\(name)"] + event.items.map(\.userID)).joined(separator: " ")
    }

    @Test(arguments: cases)
    func aChangeNotifiesWhomItChangedAndNoOtherUser(_ one: Case) throws {
        let world = try Self.world()
        try one.prepare(world)
        let before = try world.feedState().position
        var sequences: [UserID: Int64] = [:]
        for user in Self.users { sequences[user] = try world.userRecord(of: user)?.sequence }
        try one.change(world)
        let events = try feed(world, since: before)
        #expect(events.map { words($0.user, $0.event) }.sorted() == one.notified.sorted())
        // The logs have the same events, without those that only the feed has.
        var logged: [String] = []
        for user in Self.users + ["G"] where try world.userRecord(of: user) != nil {
            let userRecord = try #require(try world.userRecord(of: user))
            let since = max(sequences[user] ?? 0, userRecord.logFloor)
            for event in try world.events(of: user, after: since) {
                logged.append(words(user, event))
            }
        }
        let own = events.filter { $0.event.kind.rawValue < ChangeKind.accountCreated.rawValue }
        #expect(logged.sorted() == own.map { words($0.user, $0.event) }.sorted())
        #expect(try Audit(world, Self.users + ["G"], sharp: false).findings == [])
    }

    @Test func anAccountInTheFeedHasItsFirstProfileAndWhoMadeIt() throws {
        let world = try World("A")
        try world.call(by: nil, requestID: "r") { (ledger) throws(StorageError) in
            _ = try Accounts.create("G", nick: "Gus", faceURL: "url", in: ledger)
        }
        let row = try #require(
            try world.rows(of: Tables.feed, in: world.app.feed).last { $0.record.hasOwnEvents })
        let entry = try #require(row.record.events.first)
        #expect(row.record.events.count == 1 && entry.userID == "G")
        let event = try #require(entry.event)
        #expect(event.kind == .accountCreated && event.requestID == "r")
        #expect(event.feedPosition == Int64(row.key) && event.timeMs == World.start)
        var profile = ProfileRecord()
        profile.userID = "G"
        profile.nick = "Gus"
        profile.faceURL = "url"
        profile.version = 1
        #expect(event.items.map(\.profile) == [profile])
        #expect(try world.storedProfile(of: "G").position == event.feedPosition)
        #expect(try world.userRecord(of: "G")?.sequence == 0, "no sequence moves")
    }

    @Test func whatIsTakenBackIsInNoFeed() throws {
        var settings = AppSettings.tim
        settings.makesAccountsImplicitly = true
        let world = try World("A", settings: settings)
        let before = try world.feedState().position
        #expect(throws: StorageError(.failed, "")) {
            try world.call(by: "A") { (ledger) throws(StorageError) in
                _ = try FriendRules.add(
                    FriendItem(user: "G"), to: "A", .both, force: false, in: ledger)
                throw StorageError(.failed, "on purpose")
            }
        }
        #expect(try world.feedState().position == before)
    }
}

extension EventTableTests {
    static let cases: [Case] = [
        Case("an addition", notified: ["A ADD_FRIEND B", "B ADD_FRIEND A"]) {
            (world) throws(StorageError) in _ = try world.add("B", to: "A")
        },
        Case("an addition one way", notified: ["A ADD_FRIEND B"]) {
            (world) throws(StorageError) in _ = try world.add("B", to: "A", .single)
        },
        Case("a friend who has me already", notified: ["B ADD_FRIEND F"]) {
            (world) throws(StorageError) in _ = try world.add("F", to: "B", .both)
        },
        Case("a block", notified: ["A ADD_BLACKLIST F", "F DEL_FRIEND A"]) {
            (world) throws(StorageError) in _ = try world.block("F", by: "A")
        },
        Case("a block of an unrelated user", notified: ["A ADD_BLACKLIST B"]) {
            (world) throws(StorageError) in _ = try world.block("B", by: "A")
        },
        Case("a profile", notified: ["A PROFILE_CHANGE A"]) {
            (world) throws(StorageError) in
            _ = try world.setProfile(of: "A", [.nick]) { $0.nick = "Ann" }
        },
        Case("a visibility", notified: ["A VISIBILITY_CHANGED A"]) {
            (world) throws(StorageError) in try world.show("A", to: .friends)
        },
        Case("an account", notified: ["G ACCOUNT_CREATED G"]) {
            (world) throws(StorageError) in _ = try world.make("G")
        },
        Case("an account that exists", notified: []) {
            (world) throws(StorageError) in _ = try world.make("A")
        },
        Case(
            "an account made by its profile",
            notified: ["G ACCOUNT_CREATED G", "G PROFILE_CHANGE G"]
        ) {
            (world) throws(StorageError) in
            _ = try world.setProfile(of: "G", [.nick]) { $0.nick = "Gus" }
        },
        Case(
            "an account made by its first mention",
            notified: ["G ACCOUNT_CREATED G", "G ADD_FRIEND A", "A ADD_FRIEND G"],
            prepare: { (world) throws(StorageError) in
                world.settings.makesAccountsImplicitly = true
            }
        ) {
            (world) throws(StorageError) in _ = try world.add("G", to: "A")
        },
        Case(
            "a deleted account",
            notified: [
                "B ACCOUNT_DELETED B", "E DEL_FRIEND B", "F DEL_FRIEND B", "A DEL_BLACKLIST B",
            ],
            prepare: { (world) throws(StorageError) in _ = try world.block("B", by: "A") }
        ) {
            (world) throws(StorageError) in
            _ = try world.call(by: nil) { (ledger) throws(StorageError) in
                try AccountDeletion.start("B", in: ledger)
            }
            try world.runJobs()
        },
        Case(
            "an account made again", notified: ["B ACCOUNT_CREATED B"],
            prepare: { (world) throws(StorageError) in
                _ = try world.call(by: nil) { (ledger) throws(StorageError) in
                    try AccountDeletion.start("B", in: ledger)
                }
                try world.runJobs()
            }
        ) {
            (world) throws(StorageError) in _ = try world.make("B")
        },
    ]
}
