import Memory
import Protobuf
import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

/// The log: one event for each kind and receiver of a call, none missing and none twice.
@Suite struct LedgerTests {
    private let users: [UserID] = ["A", "B", "C", "D"]

    @Test func oneCallMakesOneEventForEachKindAndReceiver() throws {
        let world = try World("A", "B", "C", "D")
        try world.allow(.needConfirm, for: "D")
        let count = try world.userRecord(of: "A")!.sequence
        try world.call(by: "A", device: "phone", requestID: "r1") { (ledger) throws(StorageError) in
            for other: UserID in ["B", "D", "C"] {
                var addition = FriendItem(user: other)
                addition.values.group = "of \(other)"
                _ = try FriendRules.add(addition, to: "A", .both, force: false, in: ledger)
            }
        }
        let events = try world.events(of: "A", after: count)
        #expect(events.map(\.kind) == [.groupCreated, .addFriend, .addFriendRequest])
        #expect(events[0].items.map(\.group?.name) == ["of B", "of C"])
        #expect(events[1].items.map(\.friendEntry?.userID) == ["B", "C"])
        #expect(events[2].items.map(\.userID) == ["D"])
        for event in events {
            #expect(event.actorUserID == "A")
            #expect(event.deviceID == "phone" && event.requestID == "r1")
            #expect(event.timeMs == World.start)
        }
        for (user, kind) in [
            ("B", .addFriend), ("C", .addFriend), ("D", .addFriendRequest),
        ] as [(UserID, ChangeKind)] {
            let notified = try #require(try world.events(of: user).last)
            #expect(notified.kind == kind && notified.items.map(\.userID) == ["A"])
        }
        // Rows have the sequence of the event that tells of them.
        let wanted = count + 2
        for friend: UserID in ["B", "C"] {
            #expect(try world.friend(friend, of: "A")?.sequence == wanted)
            #expect(try world.friend("A", of: friend)?.sequence == 1)
        }
        #expect(try Audit(world, users).findings == [])
    }

    @Test func sequencesOfDifferentUsersAreTheirOwn() throws {
        let world = try World("A", "B", "C", "D")
        for friend: UserID in ["B", "C", "D"] {
            #expect(try world.add(friend, to: "A") == .success)
        }
        #expect(try world.log(of: "A").map(\.sequence) == [1, 2, 3])
        for friend: UserID in ["B", "C", "D"] {
            #expect(try world.log(of: friend).map(\.sequence) == [1])
        }
    }

    @Test func eachListHasTheSequenceOfItsLastChange() throws {
        let world = try World("A", "B", "C")
        func lists() throws -> [Int64] {
            let userRecord = try #require(try world.userRecord(of: "A"))
            return [
                userRecord.sequence, userRecord.friendsSequence, userRecord.pendenciesSequence,
                userRecord.blacklistSequence, userRecord.groupsSequence,
            ]
        }
        #expect(try world.add("B", to: "A") == .success)
        #expect(try lists() == [1, 1, 0, 0, 0])
        #expect(try world.update("B", of: "A") { $0.groups = ["work"] } == .success)
        #expect(try lists() == [3, 3, 0, 0, 3])
        try world.allow(.needConfirm, for: "C")
        #expect(try world.add("C", to: "A").code == .pending)
        #expect(try lists() == [4, 3, 4, 0, 3])
        #expect(try world.block("C", by: "A") == .success)
        #expect(try lists() == [6, 3, 5, 6, 3])
        _ = try world.setProfile(of: "A", [.nick]) { $0.nick = "Ann" }
        #expect(try lists() == [7, 3, 5, 6, 3])
        #expect(try world.unblock("C", by: "A") == .success)
        #expect(try lists() == [8, 3, 5, 8, 3])
        #expect(try world.delete("B", from: "A") == .success)
        // The friend was in a group, which now has one member less.
        #expect(try lists() == [9, 9, 5, 8, 9])
        #expect(try Audit(world, users).findings == [])
    }

    @Test func aRefusedItemNotifiesNoUser() throws {
        let world = try World("A", "B", "C")
        let outcomes = try world.call(by: "A") { (ledger) throws(StorageError) in
            var outcomes: [FriendStatus] = []
            for user: UserID in ["ghost", "A", "B", "B"] {
                let addition = FriendItem(user: user)
                outcomes.append(
                    try FriendRules.add(addition, to: "A", .both, force: false, in: ledger).code)
            }
            return outcomes
        }
        #expect(outcomes == [.accountNotFound, .invalidParameter, .success, .invalidParameter])
        #expect(try world.events(of: "A").map { $0.items.map(\.userID) } == [["B"]])
        #expect(try world.userRecord(of: "ghost") == nil)
        #expect(try Audit(world, users).findings == [])
    }

    @Test func whatFailsLeavesNoHole() throws {
        let world = try World("A", "B", "C")
        #expect(try world.add("B", to: "A") == .success)
        let before = try world.snapshot(of: users)
        #expect(throws: StorageError(.failed, "")) {
            try world.call(by: "A") { (ledger) throws(StorageError) in
                _ = try FriendRules.add(
                    FriendItem(user: "C"), to: "A", .both, force: false, in: ledger)
                throw StorageError(.failed, "on purpose")
            }
        }
        #expect(try world.snapshot(of: users) == before)
        #expect(try world.add("C", to: "A") == .success)
        #expect(try world.log(of: "A").map(\.sequence) == [1, 2])
        #expect(try Audit(world, users).findings == [])
    }

    @Test func theFeedHasEveryEventInOrderOfEachUser() throws {
        var users: [UserID] = []
        for number in 0..<200 { users.append(UserID(stored: "user\(number)".utf8)) }
        let world = try World()
        try world.create(users)
        for (one, other) in zip(users, users.dropFirst()) {
            #expect(try world.add(other, to: one) == .success)
        }
        // An audit checks the feed's positions and each user's sequences for gaps.
        #expect(try Audit(world, users).findings == [])
        let used = Set(users.map(UserBuckets.of))
        #expect(used.count > Int(UserBuckets.count) * 3 / 4, "users spread over the partitions")
        #expect(used.allSatisfy { $0 < UserBuckets.count })
    }

    /// Directories are stored, so a user's part must never change: these were computed by another
    /// program.
    @Test(arguments: [("a", 0), ("user1", 40), ("~", 45)])
    func aUsersPlaceIsTheSameForEver(_ user: String, _ place: Int) {
        #expect(Int(UserBuckets.of(UserID(stored: user.utf8))) == place)
    }

    /// The events that a call puts together from encoded parts are those that the codec would
    /// write: with one item and with several, with all that an origin has and with nothing.
    @Test func anEventOfFriendsIsAsTheCodecWritesIt() throws {
        let world = try World("A", "B", "C")
        try world.call(by: "A", requestID: "r") { (ledger) throws(StorageError) in
            for friend: UserID in ["B", "C"] {
                var addition = FriendItem(user: friend)
                addition.values.remark = String(repeating: "long ", count: 19)
                addition.values.source = "AddSource_Type_Test"
                _ = try FriendRules.add(addition, to: "A", .both, force: false, in: ledger)
            }
        }
        #expect(try world.delete("B", from: "A") == .success)
        for user: UserID in ["A", "B", "C"] {
            let rows = try world.read { (transaction) throws(StorageError) in
                var rows: [[UInt8]] = []
                let table = Tables.changes
                try table.scan(
                    table.all(of: world.app.partition(of: user)), limit: .max, in: transaction
                ) { _, bytes in
                    rows.append(Array(bytes))
                    return .more
                }
                return rows
            }
            let events = try world.log(of: user).map(\.1)
            #expect(events.count == rows.count && !rows.isEmpty)
            for (event, row) in zip(events, rows) {
                let bytes = try Arena.temporary { (arena) throws(StorageError) in
                    try Tables.changes.encode(event, in: arena)
                }
                #expect(bytes == row, "\(user) \(event.kind)")
            }
        }
        let last = try #require(try world.log(of: "A").last?.1)
        #expect(last.kind == .deleteFriend && last.items.map(\.userID) == ["B"])
    }

    /// The feed's row of a call has its events in their order, whoever they are for.
    @Test(arguments: [false, true])
    func aRowOfTheFeedNamesAllEventsOfItsCall(answersApplications: Bool) throws {
        let world = try World("A", "B", "C")
        let feed = world.app.feed
        let before = try world.rows(of: Tables.feed, in: feed).count
        try world.call(by: "A") { (ledger) throws(StorageError) in
            ledger.isResponse = answersApplications
            _ = try FriendRules.add(
                FriendItem(user: "B"), to: "A", .both, force: false, in: ledger)
        }
        let rows = try world.rows(of: Tables.feed, in: feed)
        #expect(rows.count == before + 1)
        let row = try #require(rows.last)
        #expect(row.record.caller == (answersApplications ? FeedCaller(isResponse: true) : nil))
        #expect(row.record.events.map(\.userID) == ["A", "B"] && !row.record.hasOwnEvents)
        let bytes = try Arena.temporary { (arena) throws(StorageError) in
            try Tables.feed.encode(row.record, in: arena)
        }
        let stored = try world.read { (transaction) throws(StorageError) in
            var stored: [UInt8]?
            var keys = KeyList()
            Tables.feed.add(feed, row.key, to: &keys)
            try transaction.read(keys) { _, bytes in stored = bytes.map { Array($0) } }
            return stored
        }
        #expect(stored == bytes, "as the codec writes it")
        #expect(try world.feedState().position == Int64(row.key))
    }

    /// A call with more events than one row of the feed names writes several, without a gap.
    @Test func aCallWithManyReceiversWritesSeveralRowsOfTheFeed() throws {
        var users: [UserID] = []
        for number in 0...Limits.feedRowEvents { users.append(UserID(stored: "u\(number)".utf8)) }
        let world = try World("A")
        try world.create(users)
        let feed = world.app.feed
        let before = try world.rows(of: Tables.feed, in: feed).count
        try world.call(by: "A") { (ledger) throws(StorageError) in
            for user in users {
                _ = try FriendRules.add(
                    FriendItem(user: user), to: "A", .both, force: false, in: ledger)
            }
        }
        let rows = try world.rows(of: Tables.feed, in: feed).dropFirst(before)
        #expect(rows.map(\.record.events.count) == [Limits.feedRowEvents, 2])
        #expect(try Audit(world, ["A"] + users).findings == [])
    }

    @Test func noUserSharesThePartitionOfTheFeed() {
        // Its name begins with a byte that no user id may hold.
        let first = App(id: 1, settings: .tim).feed.bytes[4]
        let user: UserID? = UserID(String(decoding: [first, 0x41], as: UTF8.self))
        #expect(user == nil)
    }
}
