import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

/// A store that is broken by hand: the check finds exactly that error, and the repair makes the
/// store whole.
@Suite struct IntegrityTests {
    private static let users: [UserID] = ["A", "B", "C", "D"]

    /// One way to break the rows of ``world()``.
    struct Breakage: Sendable, CustomTestStringConvertible {
        let name: String
        let found: Set<String>
        let apply: @Sendable (World, any WriteTransaction) throws(StorageError) -> Void

        var testDescription: String { name }

        init(
            _ name: String, finds found: Set<String>,
            _ apply: @escaping @Sendable (World, any WriteTransaction) throws(StorageError) -> Void
        ) {
            self.name = name
            self.found = found
            self.apply = apply
        }
    }

    /// Users A to D with relations of many kinds.
    ///
    /// A and B are friends, and B is in a group of A. C has D. A has blacklisted C. An application
    /// of D waits for B, and one of C for D, who has hidden it.
    private func world() throws -> World {
        let world = try World("A", "B", "C", "D")
        #expect(try world.importFriend("B", of: "A", bothWays: true) == .success)
        #expect(try world.importFriend("B", of: "A") { $0.groups = ["g"] } == .success)
        #expect(try world.importFriend("D", of: "C") == .success)
        #expect(try world.block("C", by: "A") == .success)
        try world.allow(.needConfirm, for: "B")
        #expect(try world.add("B", to: "D").code == .pending)
        #expect(try world.subscribe("A", to: "C") == .success)
        #expect(try world.subscribe("D", to: "A", .userProfile) == .success)
        for (follower, followed) in [("A", "B"), ("B", "A"), ("A", "D")] as [(UserID, UserID)] {
            #expect(try world.follow(follower, followed) == .success)
        }
        #expect(try world.dismiss("B", for: "D") == .success)
        _ = try world.setProfile(of: "A", [.uniqueID]) { $0.uniqueID = "a1" }
        _ = try world.setProfile(of: "B", [.uniqueID]) { $0.uniqueID = "b1" }
        return world
    }

    private func findings(_ world: World) throws -> Set<String> {
        try world.read { (transaction) throws(StorageError) in
            var found: Set<String> = []
            var sums = FeedState()
            let users = try Integrity.users(
                of: world.app, after: nil, limit: 100, in: transaction)
            try Integrity.count(users, into: &sums, app: world.app, in: transaction)
            for user in users {
                for finding in try Integrity.findings(
                    of: user, app: world.app, in: transaction)
                {
                    found.insert("\(user) \(finding.subject) \(finding.fault.rawValue)")
                }
            }
            if try Integrity.missing(from: sums, app: world.app, in: transaction) != nil {
                found.insert("counts")
            }
            for id in try ids(world, in: transaction) where id.isStray {
                found.insert("\(id.user) unique_id 3")
            }
            if let finding = try Integrity.feedFinding(of: world.app, in: transaction) {
                found.insert("\(finding.subject) \(finding.fault.rawValue)")
            }
            return found
        }
    }

    /// The index of unique identifiers, in pages of one.
    private func ids(
        _ world: World, in transaction: any ReadTransaction
    ) throws(StorageError) -> [Integrity.IndexedID] {
        var ids: [Integrity.IndexedID] = []
        while true {
            let page = try Integrity.uniqueIDs(
                of: world.app, after: ids.last?.id, limit: 1, in: transaction)
            guard !page.isEmpty else { return ids }
            ids += page
        }
    }

    private func repair(_ world: World) throws {
        let (users, missing) = try world.read { (transaction) throws(StorageError) in
            let users = try Integrity.users(
                of: world.app, after: nil, limit: 100, in: transaction)
            var sums = FeedState()
            try Integrity.count(users, into: &sums, app: world.app, in: transaction)
            return (
                users, try Integrity.missing(from: sums, app: world.app, in: transaction)
            )
        }
        for user in users {
            try world.call(by: nil) { (ledger) throws(StorageError) in
                _ = try Integrity.repair(user, in: ledger)
            }
        }
        try world.call(by: nil) { (ledger) throws(StorageError) in
            if let missing { try Integrity.repairCounts(missing, in: ledger) }
            let ids = try ids(world, in: ledger.transaction)
            let strays = ids.filter(\.isStray).map(\.id)
            let removed = try Integrity.removeStrays(among: ids.map(\.id), in: ledger)
            #expect(removed == Set(strays))
        }
        try world.call(by: nil) { (ledger) throws(StorageError) in
            _ = try Integrity.repairFeed(in: ledger)
        }
    }

    @Test(arguments: breakages)
    func whatIsBrokenIsFoundAndRepaired(_ breakage: Breakage) throws {
        let world = try world()
        #expect(try findings(world) == [])
        try world.write { (transaction) throws(StorageError) in
            try breakage.apply(world, transaction)
        }
        #expect(try findings(world) == breakage.found)
        try repair(world)
        #expect(try findings(world) == [])
        #expect(try Audit(world, Self.users, sharp: false).findings == [])
    }

    private static func changeFeedState(
        _ world: World, _ transaction: any WriteTransaction,
        _ change: (inout FeedState) -> Void
    ) throws(StorageError) {
        var state = try Feed.state(of: world.app, in: transaction)
        change(&state)
        try Tables.feedStates.set(state, at: world.app.feed, OnlyKey(), in: transaction)
    }

    /// A row of the feed that names only events of A.
    private static func ownRow(
        _ world: World, _ transaction: any ReadTransaction
    ) throws(StorageError) -> (last: UInt64, record: FeedRecord) {
        let table = Tables.feed
        var found: (last: UInt64, record: FeedRecord)?
        try table.scan(
            table.all(of: world.app.feed), limit: .max, in: transaction
        ) { last, bytes in
            guard let record = table.decode(bytes, in: transaction.arena),
                record.events.allSatisfy({ $0.userID == "A" && $0.event == nil })
            else { return .more }
            found = (last, record)
            return .stop
        }
        guard let found else { throw StorageError(.failed, "no row of the feed names A alone") }
        return found
    }

    private static func a(_ world: World) -> Partition { world.app.partition(of: "A") }

    private static func userRecord(
        _ world: World, _ transaction: any WriteTransaction, _ user: UserID = "A",
        _ change: (inout UserRecord) -> Void
    ) throws(StorageError) {
        let partition = world.app.partition(of: user)
        var userRecord =
            try Tables.userRecords.record(partition, OnlyKey(), in: transaction) ?? UserRecord()
        change(&userRecord)
        try Tables.userRecords.set(userRecord, at: partition, OnlyKey(), in: transaction)
    }

    private static func assign(
        _ id: String, to user: UserID, _ world: World, _ transaction: any WriteTransaction
    ) throws(StorageError) {
        var row = UniqueIDRecord()
        row.userID = user.text
        try Tables.uniqueIDs.set(
            row, at: world.app.uniqueIDs, UniqueID(stored: id), in: transaction)
    }

    static let breakages = [
        Breakage("a counter", finds: ["A friend_count 2", "counts"]) {
            (world, transaction) throws(StorageError) in
            try userRecord(world, transaction) { $0.friendCount = 7 }
        },
        Breakage("a count of a group", finds: ["A group_member_count 2"]) {
            (world, transaction) throws(StorageError) in
            var group = GroupRecord()
            group.memberCount = 9
            try Tables.groups.set(group, at: a(world), GroupName("g"), in: transaction)
        },
        Breakage("the app's counts", finds: ["counts"]) {
            (world, transaction) throws(StorageError) in
            try changeFeedState(world, transaction) { $0.friends += 5 }
        },
        Breakage("an index with a row too many", finds: ["A blacklist_by_time 3"]) {
            (world, transaction) throws(StorageError) in
            try Tables.blacklistByTime.set(
                EmptyRecord(), at: a(world), TimedUser(timeMs: 1, user: "X"), in: transaction)
        },
        Breakage("a blacklist without its index", finds: ["A blacklist_by_time 4"]) {
            (world, transaction) throws(StorageError) in
            let table = Tables.blacklistByTime
            _ = try transaction.removeAll(table.all(of: a(world)))
        },
        Breakage("a group's members", finds: ["A group_members 4"]) {
            (world, transaction) throws(StorageError) in
            _ = try transaction.removeAll(Tables.groupMembers.all(of: a(world)))
        },
        Breakage("an account that is in no directory", finds: ["A directory 4"]) {
            (world, transaction) throws(StorageError) in
            Tables.directory.remove(Directory.partition(of: "A", world.app), "A", in: transaction)
        },
        Breakage("a mention that is missing", finds: ["A mentions 4"]) {
            (world, transaction) throws(StorageError) in
            Tables.mentions.remove(
                world.app.partition(of: "C"), Mention(.blacklist, "A"), in: transaction)
        },
        Breakage("a friendship that looks returned", finds: ["C mentions 4"]) {
            (world, transaction) throws(StorageError) in
            Tables.mentions.remove(
                world.app.partition(of: "C"), Mention(.unreturned, "D"), in: transaction)
        },
        Breakage("a friendship that looks unreturned", finds: ["A mentions 3"]) {
            (world, transaction) throws(StorageError) in
            try Tables.mentions.set(
                EmptyRecord(), at: a(world), Mention(.unreturned, "B"), in: transaction)
        },
        Breakage("a mention without a row", finds: ["A mentions 3"]) {
            (world, transaction) throws(StorageError) in
            try Tables.mentions.set(
                EmptyRecord(), at: a(world), Mention(.friends, "D"), in: transaction)
        },
        Breakage("a friend that is ignored without a mention", finds: ["A mentions 4"]) {
            (world, transaction) throws(StorageError) in
            var row = try Tables.friends.record(a(world), "B", in: transaction) ?? FriendRecord()
            row.ignored = true
            try Tables.friends.set(row, at: a(world), "B", in: transaction)
        },
        Breakage("a mention of a mute that is none", finds: ["A mentions 3"]) {
            (world, transaction) throws(StorageError) in
            try Tables.mentions.set(
                EmptyRecord(), at: a(world), Mention(.muting, "B"), in: transaction)
        },
        Breakage("a unique id that is not in the index", finds: ["A unique_id 4"]) {
            (world, transaction) throws(StorageError) in
            Tables.uniqueIDs.remove(world.app.uniqueIDs, UniqueID(stored: "a1"), in: transaction)
        },
        Breakage("a unique id that no profile has", finds: ["A unique_id 3"]) {
            (world, transaction) throws(StorageError) in
            try assign("a2", to: "A", world, transaction)
        },
        Breakage("a unique id of no account", finds: ["ghost unique_id 3"]) {
            (world, transaction) throws(StorageError) in
            try assign("a2", to: "ghost", world, transaction)
        },
        Breakage(
            "a unique id that the index gives to another",
            finds: ["A unique_id 4", "C unique_id 3"]
        ) { (world, transaction) throws(StorageError) in
            try assign("a1", to: "C", world, transaction)
        },
        Breakage("a unique id of two", finds: ["A unique_id 4"]) {
            (world, transaction) throws(StorageError) in
            var profile = ProfileRecord()
            profile.uniqueID = "b1"
            profile.version = 1
            try Tables.profiles.set(profile, at: a(world), OnlyKey(), in: transaction)
            Tables.uniqueIDs.remove(world.app.uniqueIDs, UniqueID(stored: "a1"), in: transaction)
        },
        Breakage("an event that is not in the feed", finds: ["A feed 6", "lane_0 6"]) {
            (world, transaction) throws(StorageError) in
            let row = try ownRow(world, transaction)
            Tables.feed.remove(world.app.feed, row.last, in: transaction)
        },
        Breakage("a feed that names another event", finds: ["A feed 6", "lane_0 6"]) {
            (world, transaction) throws(StorageError) in
            var row = try ownRow(world, transaction)
            row.record.events[0].sequence = 99
            try Tables.feed.set(row.record, at: world.app.feed, row.last, in: transaction)
        },
        Breakage("a feed whose rows overlap", finds: ["lane_0 6"]) {
            (world, transaction) throws(StorageError) in
            var row = try ownRow(world, transaction)
            row.record.events.insert(row.record.events[0], at: 0)
            try Tables.feed.set(row.record, at: world.app.feed, row.last, in: transaction)
        },
        Breakage("a log that has what was trimmed", finds: ["A feed 6"]) {
            (world, transaction) throws(StorageError) in
            try userRecord(world, transaction) { $0.logFloor = 1 }
        },
        Breakage("a floor that the feed has not come to", finds: ["A feed 6"]) {
            (world, transaction) throws(StorageError) in
            try userRecord(world, transaction) { $0.logFloorPosition = 1_000 }
        },
        Breakage("a feed that is trimmed beyond its end", finds: ["lane_0 6"]) {
            (world, transaction) throws(StorageError) in
            try changeFeedState(world, transaction) { $0.trimmedTo = 1_000 }
        },
        Breakage("a feed that has what was trimmed", finds: ["lane_0 6"]) {
            (world, transaction) throws(StorageError) in
            try changeFeedState(world, transaction) { ($0.trimmedTo, $0.feedFloor) = (2, 2) }
        },
        Breakage("a feed that ends before its rows", finds: ["lane_0 6"]) {
            (world, transaction) throws(StorageError) in
            try changeFeedState(world, transaction) { $0.position = 3 }
        },
        Breakage("a log with a hole", finds: ["A log 5"]) {
            (world, transaction) throws(StorageError) in
            Tables.changes.remove(a(world), 2, in: transaction)
        },
        Breakage(
            "a subscription without its indexes",
            finds: ["A subscriptions_by_end 4", "A subscribers 4", "C subscriber_count 2"]
        ) { (world, transaction) throws(StorageError) in
            _ = try transaction.removeAll(Tables.subscriptionsByEnd.all(of: a(world)))
            let followed = world.app.partition(of: "C")
            _ = try transaction.removeAll(Tables.subscribers.all(of: followed))
        },
        Breakage(
            "a subscriber without a row", finds: ["A subscribers 3", "A subscriber_count 2"]
        ) { (world, transaction) throws(StorageError) in
            try Tables.subscribers.set(
                EmptyRecord(), at: a(world),
                SubscriptionEnd(.onlineStatus, timeMs: 5, user: "B"), in: transaction)
        },
        Breakage(
            "counts of subscriptions",
            finds: [
                "A online_subscription_count 2", "D profile_subscription_count 2",
                "A subscriber_count 2", "counts",
            ]
        ) { (world, transaction) throws(StorageError) in
            try userRecord(world, transaction) { $0.onlineSubscriptionCount = 7 }
            try userRecord(world, transaction, "D") { $0.profileSubscriptionCount = 9 }
            Tables.subscriberCounts.remove(a(world), OnlyKey(), in: transaction)
        },
        Breakage("an end that is not in the index", finds: ["A subscription_ends 4"]) {
            (world, transaction) throws(StorageError) in
            Tables.subscriptionEnds.remove(
                world.app.subscriptionEnds, TimedUser(timeMs: World.start + 60_000, user: "A"),
                in: transaction)
        },
        Breakage("an end that a head does not know", finds: ["D subscription_ends 4"]) {
            (world, transaction) throws(StorageError) in
            try userRecord(world, transaction, "D") { $0.nextSubscriptionEndMs = 0 }
        },
        Breakage(
            "follows without their indexes",
            finds: [
                "A following_by_time 4", "A mutual_follows_by_time 4", "B followers_by_time 4",
                "A follow_count 2",
            ]
        ) { (world, transaction) throws(StorageError) in
            _ = try transaction.removeAll(Tables.followsByTime.all(of: a(world)))
        },
        Breakage(
            "a follower without a row", finds: ["D followers_by_time 3", "D follow_count 2"]
        ) { (world, transaction) throws(StorageError) in
            try Tables.followsByTime.set(
                EmptyRecord(), at: world.app.partition(of: "D"),
                ListedFollow(.followers, timeMs: 5, user: "B"), in: transaction)
        },
        Breakage(
            "half of a mutual follow",
            finds: [
                "A mutual_follows_by_time 3", "A followers_by_time 3", "A follow_count 2",
                "B following_by_time 3", "B mutual_follows_by_time 3", "B follow_count 2",
                "B following_count 2",
            ]
        ) { (world, transaction) throws(StorageError) in
            Tables.follows.remove(world.app.partition(of: "B"), "A", in: transaction)
        },
        Breakage("counts of follows", finds: ["A following_count 2", "B follow_count 2"]) {
            (world, transaction) throws(StorageError) in
            try userRecord(world, transaction) { $0.followingCount = 7 }
            Tables.followCounts.remove(world.app.partition(of: "B"), OnlyKey(), in: transaction)
        },
        Breakage("a dismissal without its index", finds: ["D dismissers 4"]) {
            (world, transaction) throws(StorageError) in
            Tables.dismissers.remove(world.app.partition(of: "B"), "D", in: transaction)
        },
        Breakage(
            "an index without its dismissal", finds: ["B dismissers 3", "D dismissal_count 2"]
        ) { (world, transaction) throws(StorageError) in
            Tables.dismissals.remove(world.app.partition(of: "D"), "B", in: transaction)
        },
        Breakage(
            "a dismissed user that is not an account",
            finds: ["C dismissals 1", "C dismissal_count 2"]
        ) { (world, transaction) throws(StorageError) in
            try Tables.dismissals.set(
                DismissalRecord("unknown", at: 5), at: world.app.partition(of: "C"), "unknown",
                in: transaction)
        },
        Breakage(
            "half an application",
            finds: [
                "B pendencies_by_time 3", "B come_in_count 2", "B unread_count 2",
                "D pendencies 1",
            ]
        ) { (world, transaction) throws(StorageError) in
            Tables.pendencies.remove(
                world.app.partition(of: "B"), PendencyKey(.comeIn, "D"), in: transaction)
        },
        Breakage("a friend that is not an account", finds: ["C friends 1", "C friend_count 2"]) {
            (world, transaction) throws(StorageError) in
            let partition = world.app.partition(of: "C")
            var record = FriendRecord()
            record.userID = "unknown"
            record.addTimeMs = 5
            record.sequence = 1
            try Tables.friends.set(record, at: partition, "unknown", in: transaction)
        },
    ]

    @Test(arguments: [1, 2, 3])
    func aHistoryOfCallsBreaksNothing(_ seed: UInt64) throws {
        let world = try World(
            settings: RelationHistory.settings(
                defaultAllowType: .needConfirm, keepsFriendships: seed == 3))
        try world.create(RelationHistory.users)
        var history = RelationHistory(seed: seed, RelationHistory.Mix())
        for number in 1...400 {
            _ = try world.apply(history.next())
            guard number % 100 == 0 else { continue }
            #expect(try findings(world) == [], "seed \(seed), step \(number)")
        }
    }
}

extension WriteTransaction {
    fileprivate func removeAll(_ range: KeyRange) throws(StorageError) -> Int {
        var keys: [Key] = []
        try scan(range, .ascending, limit: .max) { key, _ in
            keys.append(Key(bytes: Array(key), partitionCount: range.partitionCount))
            return .more
        }
        for key in keys { remove(key) }
        return keys.count
    }
}
