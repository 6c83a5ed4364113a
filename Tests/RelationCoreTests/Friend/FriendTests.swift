import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

/// Calls that delete, check, change and read friends.
@Suite struct FriendTests {
    private let users: [UserID] = ["A", "B", "C"]

    // MARK: DeleteFriends

    /// The rows before a deletion, the type of the deletion, and its answer.
    static let deletions: [(mine: Bool, theirs: Bool, DeleteType, FriendStatus)] = [
        (true, true, .single, .success), (true, false, .single, .success),
        (false, true, .single, .notFriend), (false, false, .single, .notFriend),
        (true, true, .both, .success), (true, false, .both, .success),
        (false, true, .both, .success), (false, false, .both, .notFriend),
    ]

    @Test(arguments: deletions)
    func onlyTheSideWhoseListChangedIsNotified(
        _ mine: Bool, _ theirs: Bool, _ type: DeleteType, _ code: FriendStatus
    ) throws {
        let world = try World("A", "B", "C")
        if mine {
            let answer = try world.add("B", to: "A", .single) {
                $0.group = "work"
                $0.remark = "x"
            }
            #expect(answer == .success)
        }
        if theirs { #expect(try world.add("A", to: "B", .single) == .success) }
        let userRecords = (
            try world.userRecord(of: "A")!.sequence, try world.userRecord(of: "B")!.sequence
        )
        let answer = try world.delete("B", from: "A", type)
        #expect(answer.code == code)
        #expect(
            answer.reason == (code == .success ? .none : Reason.FriendDelete.notFriend))
        let isTheirsDeleted = type == .both && theirs
        #expect(try world.friend("B", of: "A") == nil)
        #expect(try (world.friend("A", of: "B") == nil) == (!theirs || isTheirsDeleted))
        #expect(
            try world.events(of: "A", after: userRecords.0).map(\.kind)
                == (mine ? [.deleteFriend] : []))
        #expect(
            try world.events(of: "B", after: userRecords.1).map(\.kind)
                == (isTheirsDeleted ? [.deleteFriend] : []))
        #expect(try Audit(world, users).findings == [])
    }

    @Test func remarkAndGroupsGoWithTheRowAndTheGroupStays() throws {
        let world = try World("A", "B")
        let add = {
            try world.add("B", to: "A") {
                $0.remark = "x"
                $0.group = "work"
            }
        }
        #expect(try add() == .success)
        #expect(try world.delete("B", from: "A") == .success)
        #expect(try world.group("work", of: "A")?.memberCount == 0)
        #expect(try world.add("B", to: "A") == .success)
        #expect(try world.friend("B", of: "A")?.remark == "")
        #expect(try world.friend("B", of: "A")?.groups == [])
        #expect(try Audit(world, ["A", "B"]).findings == [])
    }

    @Test func anUnknownUserIsNoFriendToDelete() throws {
        let world = try World("A")
        for type in [DeleteType.single, .both] {
            #expect(
                try world.delete("ghost", from: "A", type)
                    == FriendOutcome(.accountNotFound, Reason.FriendDelete.accountNotExist))
            #expect(try world.delete("A", from: "A", type).code == .notFriend)
        }
    }

    // MARK: CheckFriends

    @Test func everyRelationIsSeenFromBothSides() throws {
        let world = try World("A", "none", "mine", "theirs", "both")
        #expect(try world.add("mine", to: "A", .single) == .success)
        #expect(try world.add("A", to: "theirs", .single) == .success)
        #expect(try world.add("both", to: "A") == .success)
        let ids: [UserID] = ["both", "ghost", "A", "none", "theirs", "mine", "both"]
        let two = try world.relations(of: "A", to: ids)
        let one = try world.relations(of: "A", to: ids, .unidirection)
        let no = FriendRelation.none
        #expect(two == [.bothWay, nil, no, no, .otherUni, .myUni, .bothWay])
        #expect(one == [.myUni, nil, no, no, no, .myUni, .myUni])
    }

    // MARK: UpdateFriends

    @Test func anUpdateChangesWhatItNamesAndNothingElse() throws {
        let world = try World("A", "B")
        let added = try world.add("B", to: "A") {
            $0.remark = "old"
            $0.group = "work"
            $0.wording = "hello"
        }
        #expect(added == .success)
        var row = try #require(try world.friend("B", of: "A"))
        world.advance(milliseconds: 10)
        #expect(try world.update("B", of: "A") { $0.groups = ["home", "chess"] } == .success)
        row.groups = ["home", "chess"]
        // One event tells that two groups were made, and then the row changed.
        row.sequence += 2
        #expect(try world.friend("B", of: "A") == row)
        world.advance(milliseconds: 10)
        #expect(try world.update("B", of: "A") { $0.remark = "new" } == .success)
        row.remark = "new"
        row.remarkTimeMs = World.start + 20
        row.sequence += 1
        #expect(try world.friend("B", of: "A") == row)
        let notified = try #require(try world.events(of: "A").last)
        #expect(notified.kind == .friendChange && notified.kind.rawValue == 8)
        #expect(notified.items.map(\.friendEntry) == [row])
        #expect(try world.userRecord(of: "A")?.friendsSequence == row.sequence)
        #expect(try world.events(of: "B").map(\.kind) == [.addFriend])
        #expect(try world.groups(of: "A") == ["work", "home", "chess"])
        #expect(try world.group("work", of: "A")?.memberCount == 0)
        #expect(try Audit(world, ["A", "B"]).findings == [])
    }

    @Test func anEmptyRemarkClears() throws {
        let world = try World("A", "B")
        #expect(try world.add("B", to: "A") { $0.remark = "old" } == .success)
        #expect(try world.update("B", of: "A") { $0.remark = "" } == .success)
        #expect(try world.friend("B", of: "A")?.remark == "")
        #expect(try world.update("B", of: "A") { $0.groups = [] } == .unchanged)
        #expect(try Audit(world, ["A", "B"]).findings == [])
    }

    @Test func anUpdateThatChangesNothingNotifiesNoUser() throws {
        let world = try World("A", "B")
        let added = try world.add("B", to: "A") {
            $0.remark = "same"
            $0.group = "work"
        }
        #expect(added == .success)
        world.advance(milliseconds: 10)
        let before = try world.snapshot(of: users)
        let answer = try world.update("B", of: "A") {
            $0.remark = "same"
            $0.groups = ["work"]
        }
        #expect(answer == .unchanged)
        #expect(try world.snapshot(of: users) == before)
    }

    @Test func whatAnUpdateRefusesItRefusesInOrderAndWritesNothing() throws {
        let world = try World("A", "B", "C")
        world.settings.limits.groups = 1
        world.settings.forbiddenWords = ["worse"]
        #expect(try world.add("B", to: "A") { $0.group = "work" } == .success)
        let before = try world.snapshot(of: users)
        func update(
            _ user: UserID, remark: String?, groups: [String]?
        ) throws(StorageError) -> FriendOutcome {
            try world.update(user, of: "A") {
                $0.remark = remark
                $0.groups = groups
            }
        }
        let reason = Reason.FriendUpdate.self
        for (user, outcome) in [
            ("ghost", FriendOutcome(.accountNotFound, reason.accountNotExist)),
            ("C", FriendOutcome(.invalidParameter, reason.friendNotExist)),
            ("A", FriendOutcome(.invalidParameter, reason.friendNotExist)),
            ("B", FriendOutcome(.sensitiveText, reason.sensitiveText)),
        ] as [(UserID, FriendOutcome)] {
            #expect(try update(user, remark: "worse", groups: ["one", "two"]) == outcome)
        }
        let limit = FriendOutcome(.groupLimit, reason.groupLimit)
        #expect(try update("B", remark: "fine", groups: ["one"]) == limit)
        #expect(try update("B", remark: nil, groups: ["work", "one"]) == limit)
        #expect(try update("B", remark: nil, groups: ["Worse"]).code == .sensitiveText)
        #expect(try world.snapshot(of: users) == before)
        #expect(try update("B", remark: "fine", groups: ["work"]) == .success)
    }

    // MARK: Lists

    @Test(arguments: [ScanOrder.ascending, .descending], [1, 2, 3, 100])
    func pagesByTimeAndByIDShowEachFriendOnce(
        _ order: Storage.ScanOrder, _ rows: Int
    ) throws {
        let world = try World("A")
        let friends: [UserID] = ["b", "a", "ab", "~", "a b", "B"]
        try world.create(friends)
        for (index, friend) in friends.enumerated() {
            world.advance(milliseconds: index % 2 == 0 ? 1 : 0)
            #expect(try world.add(friend, to: "A", .single) == .success)
        }
        var byID: [UserID] = []
        var byTime: [UserID] = []
        var position: TimedUser?
        repeat {
            var page: [TimedUser] = []
            try world.read { (transaction) throws(StorageError) in
                try FriendList.scanByTime(
                    of: "A", after: position, order, limit: rows, app: world.app, in: transaction
                ) { key, _ in
                    page.append(key)
                    return .more
                }
            }
            byTime += page.map(\.user)
            position = page.last
        } while position != nil
        repeat {
            let last = byID.last
            var page: [UserID] = []
            try world.read { (transaction) throws(StorageError) in
                try FriendList.scanByID(
                    of: "A", after: last, order, limit: rows, app: world.app, in: transaction
                ) { user, _ in
                    page.append(user)
                    return .more
                }
            }
            byID += page
            position = page.last.map { TimedUser(timeMs: 0, user: $0) }
        } while position != nil
        let sorted = friends.sorted()
        // Pairs were added in one millisecond: b with a, ab with ~, "a b" with B.
        let times: [UserID] = ["a", "b", "ab", "~", "B", "a b"]
        #expect(byID == (order == .ascending ? sorted : sorted.reversed()))
        #expect(byTime == (order == .ascending ? times : times.reversed()))
    }
}
