import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

/// Answers to applications.
@Suite struct ApplicationTests {
    /// A applied to B, with everything that an application can carry.
    private func worldWithApplication() throws -> World {
        let world = try World("A", "B")
        try world.allow(.needConfirm, for: "B")
        let answer = try world.add("B", to: "A") {
            $0.remark = "my B"
            $0.group = "work"
            $0.wording = "hello"
            $0.source = "AddSource_Type_Web"
        }
        try #require(answer.code == .pending)
        return world
    }

    @Test func agreeingGivesTheApplicantOneRow() throws {
        let world = try worldWithApplication()
        world.advance(milliseconds: 50)
        #expect(try world.respond(to: "A", of: "B", .agree) == .success)
        let row = try #require(try world.friend("B", of: "A"))
        #expect(row.remark == "my B" && row.groups == ["work"])
        #expect(row.source == "AddSource_Type_Web" && row.wording == "hello")
        #expect(row.addTimeMs == World.start + 50)
        #expect(try world.friend("A", of: "B") == nil)
        #expect(try world.userRecord(of: "B")?.unreadCount == 0)
        #expect(try Audit(world, ["A", "B"]).findings == [])
    }

    @Test func agreeingAndAddingGivesBothTheirRows() throws {
        let world = try worldWithApplication()
        let answer = try world.respond(to: "A", of: "B", .agreeAndAdd) {
            $0.remark = "my A"
            $0.group = "home"
        }
        #expect(answer == .success)
        let mine = try #require(try world.friend("A", of: "B"))
        #expect(mine.remark == "my A" && mine.groups == ["home"])
        #expect(mine.source == "AddSource_Type_Web" && mine.wording == "hello")
        #expect(try world.friend("B", of: "A")?.remark == "my B")
        #expect(try Audit(world, ["A", "B"]).findings == [])
    }

    @Test func rejectingEndsTheApplicationOnBothSides() throws {
        let world = try worldWithApplication()
        let counts = try ["A", "B"].map {
            try world.userRecord(of: UserID(stored: $0.utf8))!.sequence
        }
        #expect(try world.respond(to: "A", of: "B", .reject) == .success)
        #expect(try world.relation(of: "A", to: "B") == FriendRelation.none)
        for (user, count) in [(UserID("A"), counts[0]), (UserID("B"), counts[1])] {
            let notified = try world.events(of: user, after: count)
            #expect(notified.map(\.kind) == [.deleteFriendRequest])
            #expect(notified.first?.items.map(\.application?.status) == [.refused])
            #expect(notified.first?.actorUserID == "B")
        }
        #expect(try world.respond(to: "A", of: "B", .agree).code == .noApplication)
        #expect(try Audit(world, ["A", "B"]).findings == [])
    }

    @Test func aNewApplicationAfterARefusalHasANewID() throws {
        let world = try worldWithApplication()
        let old = try world.pendency(.sendOut, with: "B", of: "A")?.applicationID
        #expect(try world.respond(to: "A", of: "B", .reject) == .success)
        #expect(try world.add("B", to: "A").code == .pending)
        #expect(try world.pendency(.sendOut, with: "B", of: "A")?.applicationID != old)
    }

    @Test(arguments: [FriendResponseType.agree, .agreeAndAdd, .reject])
    func whatWaitsForNoUserCannotBeAnswered(_ type: FriendResponseType) throws {
        let world = try worldWithApplication()
        let none = FriendOutcome(.noApplication, Reason.FriendResponse.pendencyNotExist)
        #expect(none.code.rawValue == 30614)
        // An applicant cannot answer its own application, and no user can answer one to itself.
        #expect(try world.respond(to: "B", of: "A", type) == none)
        #expect(try world.respond(to: "A", of: "A", type) == none)
        #expect(
            try world.respond(to: "ghost", of: "B", type)
                == FriendOutcome(.accountNotFound, Reason.FriendResponse.accountNotExist))
        #expect(try world.relation(of: "A", to: "B") == FriendRelation.none)
    }

    @Test func fullListsAreNamedOwnFirst() throws {
        let world = try worldWithApplication()
        try world.create(["C", "D"])
        world.settings.limits.friends = 1
        #expect(try world.add("C", to: "A", .single) == .success)
        #expect(try world.add("D", to: "B", .single) == .success)
        let before = try world.snapshot(of: ["A", "B"])
        #expect(
            try world.respond(to: "A", of: "B", .agreeAndAdd)
                == FriendOutcome(.selfFriendFull, Reason.FriendResponse.selfFriendFull))
        #expect(
            try world.respond(to: "A", of: "B", .agree)
                == FriendOutcome(.theirFriendFull, Reason.FriendResponse.peerFriendFull))
        #expect(try world.snapshot(of: ["A", "B"]) == before)
        #expect(try world.delete("D", from: "B") == .success)
        #expect(try world.respond(to: "A", of: "B", .agreeAndAdd).code == .theirFriendFull)
        #expect(try world.delete("C", from: "A") == .success)
        #expect(try world.respond(to: "A", of: "B", .agreeAndAdd) == .success)
        #expect(try Audit(world, ["A", "B", "C", "D"]).findings == [])
    }

    @Test func anApplicantThatHasTheResponderAlreadyIsAnsweredAndDone() throws {
        let world = try worldWithApplication()
        world.settings.limits.friends = 1
        // No call leads to this row: to gain B ends the application.
        try world.set(Tables.friends, FriendRecord(), of: "A", "B")
        try world.changeUserRecord(of: "A") { $0.friendCount = 1 }
        #expect(try world.respond(to: "A", of: "B", .agree) == .success)
        #expect(try world.pendency(.sendOut, with: "B", of: "A") == nil)
        #expect(try world.pendency(.comeIn, with: "A", of: "B") == nil)
        #expect(try world.userRecord(of: "A")?.friendCount == 1)
    }

    @Test func agreeingAndAddingAlsoEndsTheRespondersOwnApplication() throws {
        let world = try worldWithApplication()
        try world.allow(.needConfirm, for: "A")
        #expect(try world.add("A", to: "B", .single).code == .pending)
        #expect(try world.respond(to: "A", of: "B", .agreeAndAdd) == .success)
        #expect(try world.pendency(.sendOut, with: "A", of: "B") == nil)
        #expect(try world.pendency(.comeIn, with: "B", of: "A") == nil)
        #expect(try Audit(world, ["A", "B"]).findings == [])
    }

    @Test func forbiddenWordsStopAnAgreementAndNoRefusal() throws {
        let world = try worldWithApplication()
        world.settings.forbiddenWords = ["worse"]
        for type in [FriendResponseType.agree, .agreeAndAdd] {
            #expect(
                try world.respond(to: "A", of: "B", type) { $0.remark = "worse" }
                    == FriendOutcome(.sensitiveText, Reason.FriendResponse.sensitiveText))
            #expect(
                try world.respond(to: "A", of: "B", type) { $0.group = "Worse" }.code
                    == .sensitiveText)
        }
        #expect(try world.respond(to: "A", of: "B", .reject) { $0.remark = "worse" } == .success)
    }

    @Test func aResponseThatPassesTheGroupLimitStillWritesTheRow() throws {
        let world = try worldWithApplication()
        world.settings.limits.groups = 0
        let answer = try world.respond(to: "A", of: "B", .agreeAndAdd) { $0.group = "home" }
        #expect(answer == .success)
        #expect(try world.friend("A", of: "B")?.groups == [])
        #expect(try world.friend("B", of: "A")?.groups == [])
        #expect(try Audit(world, ["A", "B"]).findings == [])
    }
}
