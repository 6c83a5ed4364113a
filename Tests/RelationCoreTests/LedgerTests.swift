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
        let count = try world.head(of: "A")!.sequence
        try world.call(by: "A", device: "phone", requestID: "r1") { (ledger) throws(StorageError) in
            for other: UserID in ["B", "D", "C"] {
                var addition = FriendAddition(user: other)
                addition.group = "of \(other)"
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
            let told = try #require(try world.events(of: user).last)
            #expect(told.kind == kind && told.items.map(\.userID) == ["A"])
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
            let head = try #require(try world.head(of: "A"))
            return [
                head.sequence, head.friendsSequence, head.pendenciesSequence,
                head.blacklistSequence, head.groupsSequence,
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

    @Test func aRefusedItemTellsNobody() throws {
        let world = try World("A", "B", "C")
        let outcomes = try world.call(by: "A") { (ledger) throws(StorageError) in
            var outcomes: [FriendStatus] = []
            for user: UserID in ["ghost", "A", "B", "B"] {
                let addition = FriendAddition(user: user)
                outcomes.append(
                    try FriendRules.add(addition, to: "A", .both, force: false, in: ledger).code)
            }
            return outcomes
        }
        #expect(outcomes == [.accountNotFound, .invalidParameter, .success, .invalidParameter])
        #expect(try world.events(of: "A").map { $0.items.map(\.userID) } == [["B"]])
        #expect(try world.head(of: "ghost") == nil)
        #expect(try Audit(world, users).findings == [])
    }

    @Test func whatFailsLeavesNoHole() throws {
        let world = try World("A", "B", "C")
        #expect(try world.add("B", to: "A") == .success)
        let before = try world.snapshot(of: users)
        #expect(throws: StorageError(.failed, "")) {
            try world.call(by: "A") { (ledger) throws(StorageError) in
                _ = try FriendRules.add(
                    FriendAddition(user: "C"), to: "A", .both, force: false, in: ledger)
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
        // An audit checks each lane's positions and each user's sequences for gaps.
        #expect(try Audit(world, users).findings == [])
        let used = Set(users.map(Lane.of))
        #expect(used.count > Int(Lane.count) * 3 / 4, "users spread over the lanes")
        #expect(used.allSatisfy { $0 < Lane.count })
    }

    /// Lanes are stored, so a user's lane must never change: these were computed by another
    /// program.
    @Test(arguments: [("a", 0), ("user1", 40), ("~", 45)])
    func aUsersLaneIsTheSameForEver(_ user: String, _ lane: Int) {
        #expect(Int(Lane.of(UserID(stored: user.utf8))) == lane)
    }

    @Test func noUserSharesThePartitionOfALane() {
        let app = App(id: 1, settings: .tim)
        var seen: Set<Partition> = []
        for lane in 0..<Lane.count { seen.insert(app.partition(ofLane: lane)) }
        #expect(seen.count == Int(Lane.count))
        // A lane's name begins with a byte that no user id may hold.
        let first = app.partition(ofLane: 0).bytes[4]
        let user: UserID? = UserID(String(decoding: [first, 0x41], as: UTF8.self))
        #expect(user == nil)
    }
}
