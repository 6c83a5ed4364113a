import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

/// The rows and the events after an addition that was not refused.
@Suite struct AddEffectsTests {
    @Test func bothRowsKeepSourceAndWordingAndOnlyTheFirstTheRest() throws {
        let world = try World("A", "B")
        let answer = try world.add("B", to: "A") {
            $0.remark = "dear B"
            $0.group = "work"
            $0.wording = "hello"
            $0.source = "AddSource_Type_Web"
        }
        #expect(answer == .success)
        var mine = FriendRecord()
        mine.userID = "B"
        mine.remark = "dear B"
        mine.groups = ["work"]
        mine.source = "AddSource_Type_Web"
        mine.wording = "hello"
        mine.addTimeMs = World.start
        mine.remarkTimeMs = World.start
        mine.sequence = 2
        #expect(try world.friend("B", of: "A") == mine)
        var theirs = FriendRecord()
        theirs.userID = "A"
        theirs.source = "AddSource_Type_Web"
        theirs.wording = "hello"
        theirs.addTimeMs = World.start
        theirs.sequence = 1
        #expect(try world.friend("A", of: "B") == theirs)
        #expect(try world.groups(of: "A") == ["work"])
        #expect(try world.groups(of: "B") == [])
        #expect(try world.events(of: "A").map(\.kind) == [.groupCreated, .addFriend])
        #expect(try world.events(of: "A").last?.items.map(\.friendEntry) == [mine])
        #expect(try world.events(of: "B").map(\.kind) == [.addFriend])
        #expect(try world.events(of: "B").last?.items.map(\.friendEntry) == [theirs])
        #expect(try Audit(world, ["A", "B"]).findings == [])
    }

    @Test func anAddOfOneRowNotifiesNoOtherUser() throws {
        let world = try World("A", "B")
        #expect(try world.add("B", to: "A", .single) == .success)
        #expect(try world.relation(of: "A", to: "B") == .myUni)
        #expect(try world.relation(of: "B", to: "A") == .otherUni)
        #expect(try world.events(of: "B").isEmpty)
        #expect(try Audit(world, ["A", "B"]).findings == [])
    }

    @Test(arguments: [("A", "B"), ("B", "A")])
    func onlyTheMissingRowIsWrittenAndOnlyItsOwnerNotified(
        _ has: String, _ lacks: String
    ) throws {
        let world = try World("A", "B")
        let (has, lacks) = (UserID(stored: has.utf8), UserID(stored: lacks.utf8))
        #expect(try world.add(lacks, to: has, .single) { $0.remark = "old" } == .success)
        let row = try world.friend(lacks, of: has)
        let count = try world.userRecord(of: has)?.sequence ?? 0
        world.advance(milliseconds: 5)
        #expect(try world.add("B", to: "A") { $0.remark = "new" } == .success)
        #expect(try world.friend(lacks, of: has) == row)
        #expect(try world.friend(has, of: lacks)?.remark == (lacks == "A" ? "new" : ""))
        #expect(try world.events(of: has, after: count).isEmpty)
        #expect(try world.events(of: lacks).map(\.kind) == [.addFriend])
        #expect(try Audit(world, ["A", "B"]).findings == [])
    }

    @Test func anApplicationWaitsOnBothSidesAndNotesStayWithItsOwner() throws {
        let world = try World("A", "B")
        try world.allow(.needConfirm, for: "B")
        let answer = try world.add("B", to: "A") {
            $0.remark = "secret"
            $0.group = "work"
            $0.wording = "hello"
            $0.source = "AddSource_Type_Web"
        }
        #expect(answer == FriendOutcome(.pending, Reason.FriendAdd.needConfirm, changed: true))
        #expect(answer.code.rawValue == 30539)
        #expect(try world.relation(of: "A", to: "B") == FriendRelation.none)
        #expect(try world.groups(of: "A") == [])
        let sent = try #require(try world.pendency(.sendOut, with: "B", of: "A"))
        let received = try #require(try world.pendency(.comeIn, with: "A", of: "B"))
        #expect(sent.userID == "B" && received.userID == "A")
        #expect(sent.applicationID == received.applicationID && !sent.applicationID.isEmpty)
        #expect(received.wording == "hello" && received.source == "AddSource_Type_Web")
        #expect(try world.userRecord(of: "B")?.unreadCount == 1)
        #expect(try world.userRecord(of: "A")?.unreadCount == 0)
        for (user, type) in [("A", PendencyType.sendOut), ("B", .comeIn)] {
            let event = try #require(try world.events(of: UserID(stored: user.utf8)).last)
            let item = try #require(event.items.first)
            #expect(event.kind == .addFriendRequest && event.actorUserID == "A")
            #expect(item.application?.pendencyType == type)
            #expect(item.application?.wording == "hello")
            #expect(item.application?.source == "AddSource_Type_Web")
        }
        #expect(try Audit(world, ["A", "B"]).findings == [])
    }

    @Test func aRepeatedApplicationIsOneRenewedAndUnreadAgain() throws {
        let world = try World("A", "B", "C")
        try world.allow(.needConfirm, for: "B")
        #expect(try world.add("B", to: "A") { $0.wording = "one" }.code == .pending)
        let first = try #require(try world.pendency(.comeIn, with: "A", of: "B"))
        world.advance(milliseconds: 1_000)
        #expect(try world.report(upTo: world.now.milliseconds, of: "B") == 0)
        #expect(try Audit(world, ["A", "B"]).findings == [])
        world.advance(milliseconds: 1_000)
        let answer = try world.add("B", to: "A") {
            $0.wording = "two"
            $0.source = "AddSource_Type_Card"
        }
        #expect(answer.code == .pending)
        let second = try #require(try world.pendency(.comeIn, with: "A", of: "B"))
        #expect(second.wording == "two" && second.source == "AddSource_Type_Card")
        #expect(second.timeMs == first.timeMs + 2_000)
        #expect(second.applicationID == first.applicationID)
        let userRecord = try #require(try world.userRecord(of: "B"))
        #expect(userRecord.comeInCount == 1 && userRecord.unreadCount == 1)
        #expect(try Audit(world, ["A", "B"]).findings == [])
    }

    @Test func renewingAsksForNoRoomInFullLists() throws {
        let world = try World("A", "B", "C")
        world.settings.limits.pendencies = 1
        for user: UserID in ["B", "C"] { try world.allow(.needConfirm, for: user) }
        #expect(try world.add("B", to: "A").code == .pending)
        #expect(try world.add("B", to: "A").code == .pending)
        #expect(try world.add("C", to: "A").code == .pendencyLimit)
        #expect(try world.add("B", to: "C").code == .pendencyLimit)
        #expect(try world.add("C", to: "B").code == .pending)
        #expect(try Audit(world, ["A", "B", "C"]).findings == [])
    }

    @Test func meetingAnApplicationWritesWhatBothAskedFor() throws {
        let world = try World("A", "B")
        for user: UserID in ["A", "B"] { try world.allow(.needConfirm, for: user) }
        let asked = try world.add("A", to: "B") {
            $0.remark = "my A"
            $0.group = "home"
            $0.wording = "from B"
        }
        #expect(asked.code == .pending)
        let count = try world.userRecord(of: "B")?.sequence ?? 0
        #expect(try world.add("B", to: "A") { $0.remark = "my B" } == .success)
        let theirs = try #require(try world.friend("A", of: "B"))
        #expect(theirs.remark == "my A" && theirs.groups == ["home"])
        #expect(theirs.wording == "from B")
        #expect(try world.friend("B", of: "A")?.remark == "my B")
        #expect(try world.pendency(.comeIn, with: "B", of: "A") == nil)
        #expect(try world.pendency(.sendOut, with: "A", of: "B") == nil)
        let ended = try world.events(of: "B", after: count).first {
            $0.kind == .deleteFriendRequest
        }
        #expect(ended?.items.map(\.application?.status) == [.accepted])
        #expect(try Audit(world, ["A", "B"]).findings == [])
    }

    @Test func oneRowLeavesTheOthersApplicationWaiting() throws {
        let world = try World("A", "B")
        try world.allow(.needConfirm, for: "A")
        #expect(try world.add("A", to: "B").code == .pending)
        #expect(try world.add("B", to: "A", .single) == .success)
        #expect(try world.relation(of: "A", to: "B") == .myUni)
        #expect(try world.pendency(.comeIn, with: "B", of: "A") != nil)
        #expect(try Audit(world, ["A", "B"]).findings == [])
    }

    @Test func whoeverGainsAFriendHasNoApplicationToItAnyMore() throws {
        let world = try World("A", "B")
        try world.allow(.needConfirm, for: "B")
        #expect(try world.add("B", to: "A", .single).code == .pending)
        try world.allow(.allowAny, for: "B")
        let count = try world.userRecord(of: "B")?.sequence ?? 0
        #expect(try world.add("B", to: "A", .single) == .success)
        #expect(try world.pendency(.sendOut, with: "B", of: "A") == nil)
        let notified = try world.events(of: "B", after: count)
        #expect(notified.map(\.kind) == [.deleteFriendRequest])
        #expect(notified.first?.items.map(\.application?.status) == [.accepted])
        #expect(try Audit(world, ["A", "B"]).findings == [])
    }

    /// A has B and applied for the reverse row; when B then adds A, no application is left to
    /// answer.
    @Test(arguments: [AllowType.allowAny, .needConfirm])
    func anApplicationForTheMissingHalfEndsWithIt(_ type: AllowType) throws {
        let world = try World("A", "B")
        try world.allow(.needConfirm, for: "B")
        #expect(try world.add("B", to: "A", .single, force: true) == .success)
        #expect(try world.add("B", to: "A").code == .pending)
        try world.allow(type, for: "A")
        #expect(try world.add("A", to: "B") == .success)
        #expect(try world.relation(of: "A", to: "B") == .bothWay)
        #expect(try world.pendency(.sendOut, with: "B", of: "A") == nil)
        #expect(try world.pendency(.comeIn, with: "A", of: "B") == nil)
        #expect(try Audit(world, ["A", "B"]).findings == [])
    }

    @Test func aWaitingGroupWithoutRoomIsLeftOut() throws {
        let world = try World("A", "B", "C")
        world.settings.limits.groups = 1
        for user: UserID in ["A", "B"] { try world.allow(.needConfirm, for: user) }
        #expect(try world.add("B", to: "A") { $0.group = "home" }.code == .pending)
        #expect(try world.add("C", to: "A") { $0.group = "work" } == .success)
        #expect(try world.add("A", to: "B") == .success)
        #expect(try world.friend("B", of: "A")?.groups == [])
        #expect(try world.groups(of: "A") == ["work"])
        #expect(try Audit(world, ["A", "B", "C"]).findings == [])
    }

    /// A has B and asks to be on its list; B takes A without an answer.
    @Test(arguments: [false, true])
    func noApplicationSurvivesBetweenFriendsOfEachOther(_ byImport: Bool) throws {
        let world = try World("A", "B")
        #expect(try world.add("B", to: "A", .single) == .success)
        try world.allow(.needConfirm, for: "B")
        #expect(try world.add("B", to: "A").code == .pending)
        #expect(try world.userRecord(of: "B")?.unreadCount == 1)
        if byImport {
            #expect(try world.importFriend("A", of: "B") == .success)
        } else {
            #expect(try world.add("A", to: "B", .single) == .success)
        }
        #expect(try world.relation(of: "A", to: "B") == .bothWay)
        #expect(try world.userRecord(of: "B")?.unreadCount == 0)
        #expect(try world.pendency(.sendOut, with: "B", of: "A") == nil)
        for user: UserID in ["A", "B"] {
            #expect(try world.applications(of: user).lines.map(\.status) == [.accepted])
            #expect(try world.events(of: user).map(\.kind).contains(.deleteFriendRequest))
        }
        #expect(try Audit(world, ["A", "B"]).findings == [])
        // Where a friendship was, a new application can be made.
        #expect(try world.delete("A", from: "B", .single) == .success)
        #expect(try world.add("B", to: "A").code == .pending)
    }

    /// Each has applied to the other, and A has B already; B's agreement leaves nothing to ask for.
    @Test func anAnswerThatMakesFriendsOfEachOtherEndsBothApplications() throws {
        let world = try World("A", "B")
        for user: UserID in ["A", "B"] { try world.allow(.needConfirm, for: user) }
        #expect(try world.add("B", to: "A", .single).code == .pending)
        #expect(try world.add("A", to: "B", .single).code == .pending)
        #expect(try world.respond(to: "B", of: "A", .agree) == .success)
        #expect(try world.pendency(.sendOut, with: "B", of: "A") != nil)
        #expect(try world.respond(to: "A", of: "B", .agree) == .success)
        #expect(try world.relation(of: "A", to: "B") == .bothWay)
        for user: UserID in ["A", "B"] {
            #expect(try world.applications(of: user).lines.allSatisfy { $0.status == .accepted })
        }
        #expect(try Audit(world, ["A", "B"]).findings == [])
    }
}
