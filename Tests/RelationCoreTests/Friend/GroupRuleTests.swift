import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

/// The calls on friend groups: each line of their tables, the rows afterwards, the events.
@Suite struct GroupRuleTests {
    private let users: [UserID] = ["A", "B", "C", "D"]

    /// A has B and C as friends; D is unrelated.
    private func world() throws -> World {
        let world = try World("A", "B", "C", "D")
        for friend: UserID in ["B", "C"] {
            try #require(try world.add(friend, to: "A", .single) == .success)
        }
        return world
    }

    private func item(_ world: World, _ kind: ChangeKind) throws -> ChangeItemRecord {
        let event = try #require(try world.events(of: "A").last)
        #expect(event.kind == kind)
        #expect(event.items.count == 1)
        return try #require(event.items.first)
    }

    private func members(_ name: String, _ world: World) throws -> [UserID] {
        let number = try #require(try world.group(name, of: "A")).number
        return try world.read { (transaction) throws(StorageError) in
            var members: [UserID] = []
            try Groups.scanMembers(of: number, of: "A", app: world.app, in: transaction) {
                members.append($0)
                return .more
            }
            return members
        }
    }

    // MARK: Create

    @Test func aGroupIsMadeWithoutThoseWhoAreNoFriends() throws {
        let world = try world()
        let outcome = try world.createGroup("work", with: ["C", "D", "ghost", "A", "B"], of: "A")
        #expect(outcome.code == .success)
        #expect(outcome.parts.map(\.code.rawValue) == [0, 32216, 30003, 32216, 0])
        #expect(
            outcome.parts.map(\.reason.info.description) == [
                "", "Err_SNS_GroupAdd_ToTinyId_Not_Friend",
                "Err_SNS_GroupAdd_Account_Not_Exist", "Err_SNS_GroupAdd_ToTinyId_Not_Friend", "",
            ])
        #expect(!outcome.isAcceptable)
        #expect(try members("work", world) == ["B", "C"])
        #expect(try world.friend("B", of: "A")?.groups == ["work"])
        #expect(try world.group("work", of: "A")?.memberCount == 2)
        #expect(try Audit(world, users).findings == [])
    }

    @Test func aNewGroupIsOneEventWithItsMembers() throws {
        let world = try world()
        _ = try world.createGroup("work", with: ["C", "D", "B"], of: "A")
        let item = try item(world, .groupCreated)
        #expect(item.group?.name == "work" && item.addedUserIDs == ["C", "B"])
        #expect(item.group == (try world.group("work", of: "A").map { ChangedGroup("work", $0) }))
        #expect(item.group?.memberCount == 2)
        for user: UserID in ["B", "C", "D"] { #expect(try world.events(of: user) == []) }
    }

    @Test func theAnswersOfCreatingComeInOrder() throws {
        let world = try world()
        world.settings.limits.groups = 1
        #expect(try world.createGroup("one", of: "A") == .success)
        let before = try world.snapshot(of: users)
        world.settings.forbiddenWords = ["bad", "one"]
        for (name, outcome, code) in [
            ("one", FriendOutcome(.invalidParameter, Reason.GroupAdd.groupExist), 30001),
            ("too BAD", FriendOutcome(.sensitiveText, Reason.GroupAdd.sensitiveText), 30005),
            ("two", FriendOutcome(.groupLimit, Reason.GroupAdd.groupLimit), 30011),
        ] as [(String, FriendOutcome, Int32)] {
            let answer = try world.createGroup(name, with: ["B"], of: "A")
            #expect(answer == outcome)
            #expect(answer.code.rawValue == code)
        }
        #expect(try world.snapshot(of: users) == before)
    }

    // MARK: Members

    @Test func theAnswersOfPuttingIntoAGroupComeInOrder() throws {
        let world = try world()
        #expect(try world.createGroup("work", with: ["C"], of: "A") == success(parts: 1))
        let answers = try world.putIntoGroup("work", "ghost", "D", "A", "C", "B", of: "A")
        #expect(answers.map(\.code.rawValue) == [30003, 32518, 32518, 32519, 0])
        #expect(
            answers.map(\.reason) == [
                Reason.GroupUpdate.accountNotExist, Reason.GroupUpdate.notFriend,
                Reason.GroupUpdate.notFriend, Reason.GroupUpdate.alreadyInGroup, .none,
            ])
        let missing = FriendOutcome(.invalidParameter, Reason.GroupUpdate.groupNotExist)
        #expect(
            try world.putIntoGroup("none", "ghost", "B", of: "A") == [missing, missing])
        #expect(try world.friend("B", of: "A")?.groups == ["work"])
        #expect(try Audit(world, users).findings == [])
    }

    private func success(parts: Int) -> FriendOutcome {
        var outcome = FriendOutcome.success
        outcome.parts = Array(repeating: .success, count: parts)
        return outcome
    }

    @Test func theAnswersOfTakingOutOfAGroupComeInOrder() throws {
        let world = try world()
        _ = try world.createGroup("work", with: ["C"], of: "A")
        _ = try world.createGroup("home", with: ["B"], of: "A")
        let answers = try world.takeOutOfGroup("work", "ghost", "D", "A", "B", "C", "C", of: "A")
        #expect(answers.map(\.code.rawValue) == [30003, 32520, 32520, 32520, 0, 32520])
        #expect(answers[0].reason == Reason.GroupUpdate.accountNotExist)
        #expect(answers[1].reason == Reason.GroupUpdate.notInGroup)
        let missing = FriendOutcome(.invalidParameter, Reason.GroupUpdate.groupNotExist)
        #expect(try world.takeOutOfGroup("none", "C", of: "A") == [missing])
        #expect(try world.friend("C", of: "A")?.groups == [])
        #expect(try world.group("work", of: "A")?.memberCount == 0)
        #expect(try Audit(world, users).findings == [])
    }

    @Test func oneCallOnManyMembersIsOneItemOfOneEvent() throws {
        let world = try world()
        #expect(try world.createGroup("work", of: "A") == .success)
        _ = try world.putIntoGroup("work", "C", "D", "B", of: "A")
        var item = try item(world, .groupMembersChanged)
        #expect(item.group?.name == "work")
        #expect(item.addedUserIDs == ["C", "B"] && item.removedUserIDs == [])
        #expect(item.group?.memberCount == 2)
        _ = try world.takeOutOfGroup("work", "B", "D", of: "A")
        item = try self.item(world, .groupMembersChanged)
        #expect(item.addedUserIDs == [] && item.removedUserIDs == ["B"])
        #expect(item.group?.memberCount == 1)
        let kinds: [ChangeKind] = [
            .addFriend, .addFriend, .groupCreated, .groupMembersChanged, .groupMembersChanged,
        ]
        #expect(try world.events(of: "A").map(\.kind) == kinds)
        #expect(try world.events(of: "B") == [])
    }

    @Test func noUserIsNotifiedWhereNothingChanged() throws {
        let world = try world()
        _ = try world.createGroup("work", with: ["B"], of: "A")
        let before = try world.snapshot(of: users)
        _ = try world.putIntoGroup("work", "B", "D", of: "A")
        _ = try world.takeOutOfGroup("work", "C", of: "A")
        _ = try world.deleteGroup("none", of: "A")
        _ = try world.renameGroup("work", to: "work", of: "A")
        #expect(try world.snapshot(of: users) == before)
    }

    // MARK: Delete and rename

    @Test func aDeletedGroupLeavesFriendsAndTheirOtherGroups() throws {
        let world = try world()
        for name in ["one", "two", "three"] {
            _ = try world.createGroup(name, with: ["C", "B"], of: "A")
        }
        let record = try #require(try world.group("two", of: "A"))
        #expect(try world.deleteGroup("two", of: "A") == .success)
        let item = try item(world, .groupDeleted)
        #expect(item.group == ChangedGroup("two", record))
        #expect(record.memberCount == 2)
        #expect(try world.groups(of: "A") == ["one", "three"])
        #expect(try world.friend("B", of: "A")?.groups == ["one", "three"])
        #expect(try world.friends(of: "A") == ["B", "C"])
        let missing = FriendOutcome(.invalidParameter, Reason.GroupUpdate.groupNotExist)
        #expect(try world.deleteGroup("two", of: "A") == missing)
        #expect(try Audit(world, users).findings == [])
    }

    @Test func aGroupMadeAgainIsNewAndLast() throws {
        let world = try world()
        _ = try world.createGroup("one", with: ["B"], of: "A")
        _ = try world.createGroup("two", of: "A")
        let old = try #require(try world.group("one", of: "A")).number
        #expect(try world.deleteGroup("one", of: "A") == .success)
        #expect(try world.createGroup("one", of: "A") == .success)
        #expect(try world.groups(of: "A") == ["two", "one"])
        #expect(try #require(try world.group("one", of: "A")).number != old)
        #expect(try members("one", world) == [])
        #expect(try Audit(world, users).findings == [])
    }

    @Test func aDeletedGroupMakesRoomForAnother() throws {
        let world = try world()
        world.settings.limits.groups = 1
        #expect(try world.createGroup("one", of: "A") == .success)
        #expect(try world.createGroup("two", of: "A").code == .groupLimit)
        #expect(try world.deleteGroup("one", of: "A") == .success)
        #expect(try world.createGroup("two", of: "A") == .success)
    }

    @Test func aRenamedGroupKeepsPositionAndMembers() throws {
        let world = try world()
        for name in ["one", "two"] { _ = try world.createGroup(name, with: ["C", "B"], of: "A") }
        let record = try #require(try world.group("one", of: "A"))
        world.advance(milliseconds: 5)
        #expect(try world.renameGroup("one", to: "zero", of: "A") == .success)
        #expect(try world.groups(of: "A") == ["zero", "two"])
        #expect(try world.group("zero", of: "A") == record)
        #expect(try world.group("one", of: "A") == nil)
        #expect(try world.friend("B", of: "A")?.groups == ["zero", "two"])
        #expect(try members("zero", world) == ["B", "C"])
        let item = try item(world, .groupRenamed)
        #expect(item.oldGroupName == "one" && item.group == ChangedGroup("zero", record))
        #expect(try Audit(world, users).findings == [])
    }

    @Test func theAnswersOfRenamingComeInOrder() throws {
        let world = try world()
        _ = try world.createGroup("one", with: ["B"], of: "A")
        _ = try world.createGroup("bad", of: "A")
        world.settings.forbiddenWords = ["bad"]
        let before = try world.snapshot(of: users)
        for (name, newName, outcome) in [
            ("none", "bad", FriendOutcome(.invalidParameter, Reason.GroupUpdate.groupNotExist)),
            ("one", "bad", FriendOutcome(.invalidParameter, Reason.GroupUpdate.groupExist)),
            ("one", "one", FriendOutcome(.invalidParameter, Reason.GroupUpdate.groupExist)),
            ("one", "BADly", FriendOutcome(.sensitiveText, Reason.GroupUpdate.sensitiveText)),
        ] {
            #expect(try world.renameGroup(name, to: newName, of: "A") == outcome)
        }
        #expect(try world.snapshot(of: users) == before)
        // A word that was forbidden later does not keep the group from being renamed.
        #expect(try world.renameGroup("bad", to: "good", of: "A") == .success)
    }

    // MARK: Versions

    @Test func aRowsSequenceIsThatOfTheEventThatMovedItsFriend() throws {
        let world = try world()
        func expectLatest(_ user: UserID) throws {
            let userRecord = try #require(try world.userRecord(of: "A"))
            #expect(try world.friend(user, of: "A")?.sequence == userRecord.sequence)
            #expect(userRecord.friendsSequence == userRecord.sequence)
            #expect(userRecord.groupsSequence == userRecord.sequence)
        }
        _ = try world.createGroup("one", with: ["B"], of: "A")
        try expectLatest("B")
        _ = try world.putIntoGroup("one", "C", of: "A")
        try expectLatest("C")
        #expect(try world.friend("B", of: "A")?.sequence == 3)
        _ = try world.renameGroup("one", to: "two", of: "A")
        for user: UserID in ["B", "C"] { try expectLatest(user) }
        _ = try world.takeOutOfGroup("two", "C", of: "A")
        try expectLatest("C")
        _ = try world.deleteGroup("two", of: "A")
        try expectLatest("B")
        #expect(try Audit(world, users).findings == [])
    }

    @Test func aGroupWithoutMembersChangesNoFriendList() throws {
        let world = try world()
        _ = try world.createGroup("one", of: "A")
        _ = try world.renameGroup("one", to: "two", of: "A")
        _ = try world.deleteGroup("two", of: "A")
        let userRecord = try #require(try world.userRecord(of: "A"))
        #expect(userRecord.friendsSequence == 2 && userRecord.groupsSequence == 5)
    }

    @Test func aFriendThatComesOrGoesChangesTheGroupsWithoutAnEventOfTheirs() throws {
        let world = try world()
        _ = try world.createGroup("one", of: "A")
        for step in [
            { try world.update("B", of: "A") { $0.groups = ["one"] } },
            { try world.delete("B", from: "A") },
            { try world.add("B", to: "A", .single) { $0.group = "one" } },
            { try world.importFriend("C", of: "A", notify: true) { $0.groups = ["one"] } },
            { try world.importFriend("C", of: "A") { $0.groups = [] } },
            { try world.block("B", by: "A") },
        ] {
            let before = try #require(try world.userRecord(of: "A"))
            #expect(try step() == .success)
            let userRecord = try #require(try world.userRecord(of: "A"))
            #expect(userRecord.groupsSequence > before.sequence)
            #expect(try Audit(world, users).findings == [])
        }
        let notified = try world.events(of: "A").map(\.kind)
        #expect(!notified.contains(.groupMembersChanged))
    }

    @Test func aNewRemarkChangesNoGroup() throws {
        let world = try world()
        _ = try world.createGroup("one", with: ["B"], of: "A")
        let before = try #require(try world.userRecord(of: "A")).groupsSequence
        #expect(try world.update("B", of: "A") { $0.remark = "x" } == .success)
        #expect(try #require(try world.userRecord(of: "A")).groupsSequence == before)
        #expect(try world.friend("B", of: "A")?.groups == ["one"])
    }

    @Test func aGroupThatACallMakesOnTheWayIsReportedAsItIsAtTheEnd() throws {
        let world = try world()
        try world.call(by: "A") { (ledger) throws(StorageError) in
            for user: UserID in ["B", "C"] {
                var change = FriendItem(user: user)
                change.values.groups = ["new"]
                _ = try FriendRules.update(change, of: "A", in: ledger)
            }
        }
        let events = try world.events(of: "A").suffix(2)
        #expect(events.map(\.kind) == [.groupCreated, .friendChange])
        #expect(events.first?.items.map(\.group?.memberCount) == [2])
        #expect(events.last?.items.map { $0.friendEntry?.groups } == [["new"], ["new"]])
    }

    @Test func aGroupOfThreeThousandIsDeletedByOneCall() throws {
        let friends = (1...3_000).compactMap { UserID("friend\($0)") }
        let world = try World("A")
        try world.create(friends)
        try world.call(by: nil) { (ledger) throws(StorageError) in
            for friend in friends {
                var row = FriendImport.Row(owner: "A", friend: friend)
                row.values.groups = ["all", "half"]
                _ = try FriendImport.write(row, notify: false, in: ledger)
            }
        }
        #expect(try world.group("all", of: "A")?.memberCount == 3_000)
        #expect(try world.deleteGroup("all", of: "A") == .success)
        let item = try item(world, .groupDeleted)
        #expect(item.group?.memberCount == 3_000)
        #expect(try world.friend(friends[1_234], of: "A")?.groups == ["half"])
        #expect(try world.rows(of: Tables.groupMembers, of: "A").count == 3_000)
        #expect(try Audit(world, ["A"] + friends).findings == [])
    }
}
