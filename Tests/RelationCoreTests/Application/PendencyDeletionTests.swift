import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

/// DeletePendencies removes one side's record, and WithdrawApplications the application.
@Suite struct PendencyDeletionTests {
    /// A applied to B.
    private func worldWithApplication() throws -> World {
        let world = try World("A", "B")
        try world.allow(.needConfirm, for: "B")
        try #require(try world.add("B", to: "A") { $0.wording = "hello" }.code == .pending)
        return world
    }

    private func sequences(_ world: World) throws -> [Int64] {
        try ["A", "B"].map { try world.userRecord(of: UserID(stored: $0.utf8))!.sequence }
    }

    @Test(arguments: [PendencyType.sendOut, .comeIn])
    func deletingTakesOnlyTheOwnersRecordAndTellsOnlyItsDevices(_ type: PendencyType) throws {
        let world = try worldWithApplication()
        let (owner, other): (UserID, UserID) = type == .sendOut ? ("A", "B") : ("B", "A")
        let mirror: PendencyType = type == .sendOut ? .comeIn : .sendOut
        let before = try (
            world.userRecord(of: owner)!.sequence, world.userRecord(of: other)!.sequence
        )
        #expect(try world.deletePendency(type, with: other, of: owner) == .success)
        #expect(try world.pendency(type, with: other, of: owner) == nil)
        #expect(try world.pendency(mirror, with: owner, of: other) != nil)
        let notified = try world.events(of: owner, after: before.0)
        #expect(notified.map(\.kind) == [.deleteFriendRequest])
        let item = try #require(notified.first?.items.first)
        #expect(item.userID == other.text && item.application?.pendencyType == type)
        #expect(item.application?.status == .unhandled, "it did not end")
        #expect(try world.userRecord(of: other)!.sequence == before.1, "no other user is notified")
        #expect(try world.applications(of: owner).total == 0, "what was deleted has no history")
        #expect(try world.applications(of: other).total == 1)
        #expect(try Audit(world, ["A", "B"]).findings == [])
    }

    @Test(arguments: [PendencyType.sendOut, .comeIn])
    func deletingWhatIsNotThereAnswersSoAndWritesNothing(_ type: PendencyType) throws {
        let world = try worldWithApplication()
        let before = try world.snapshot(of: ["A", "B"])
        let none = FriendOutcome(.noApplication, Reason.PendencyDelete.pendencyNotExist)
        #expect(none.code.rawValue == 30614)
        let (wrong, other): (UserID, UserID) = type == .sendOut ? ("B", "A") : ("A", "B")
        #expect(try world.deletePendency(type, with: other, of: wrong) == none)
        #expect(try world.deletePendency(type, with: "A", of: "A") == none)
        #expect(
            try world.deletePendency(type, with: "ghost", of: "A")
                == FriendOutcome(.accountNotFound, Reason.PendencyDelete.accountNotExist))
        #expect(try world.snapshot(of: ["A", "B"]) == before)
        let owner: UserID = type == .sendOut ? "A" : "B"
        let there: UserID = type == .sendOut ? "B" : "A"
        #expect(try world.deletePendency(type, with: there, of: owner) == .success)
        #expect(try world.deletePendency(type, with: there, of: owner) == none)
    }

    @Test func anApplicationWhoseSenderDeletedItCanStillBeAnswered() throws {
        let world = try worldWithApplication()
        #expect(try world.deletePendency(.sendOut, with: "B", of: "A") == .success)
        let count = try world.userRecord(of: "A")!.sequence
        #expect(try world.respond(to: "A", of: "B", .agreeAndAdd) == .success)
        #expect(try world.relation(of: "A", to: "B") == .bothWay)
        // The applicant's record was removed before, so it is notified of the friend only.
        #expect(try world.events(of: "A", after: count).map(\.kind) == [.addFriend])
        #expect(try world.applications(of: "A").total == 0)
        #expect(try world.applications(of: "B").lines.map(\.status) == [.accepted])
        #expect(try Audit(world, ["A", "B"]).findings == [])
    }

    @Test func anApplicationThatTheAskedUserDeletedHasNoAnswerAndIsRenewedByAddingAgain()
        throws
    {
        let world = try worldWithApplication()
        let id = try world.pendency(.sendOut, with: "B", of: "A")?.applicationID
        #expect(try world.deletePendency(.comeIn, with: "A", of: "B") == .success)
        #expect(try world.userRecord(of: "B")?.unreadCount == 0)
        #expect(try world.respond(to: "A", of: "B", .agree).code == .noApplication)
        world.advance(milliseconds: 5)
        #expect(try world.add("B", to: "A") { $0.wording = "again" }.code == .pending)
        let renewed = try #require(try world.pendency(.comeIn, with: "A", of: "B"))
        #expect(renewed.applicationID == id && renewed.wording == "again")
        #expect(try world.userRecord(of: "B")?.unreadCount == 1)
        #expect(try world.userRecord(of: "A")?.sendOutCount == 1)
        #expect(try world.respond(to: "A", of: "B", .agree) == .success)
        #expect(try Audit(world, ["A", "B"]).findings == [])
    }

    @Test func deletedByBothItIsGoneWithoutAnEnd() throws {
        let world = try worldWithApplication()
        let id = try world.pendency(.sendOut, with: "B", of: "A")?.applicationID
        #expect(try world.deletePendency(.comeIn, with: "A", of: "B") == .success)
        #expect(try world.deletePendency(.sendOut, with: "B", of: "A") == .success)
        #expect(try world.withdraw(from: "B", of: "A").code == .noApplication)
        #expect(try world.add("B", to: "A").code == .pending)
        #expect(try world.pendency(.sendOut, with: "B", of: "A")?.applicationID != id)
        #expect(try Audit(world, ["A", "B"]).findings == [])
    }

    // MARK: WithdrawApplications

    @Test func withdrawingEndsTheApplicationOnBothSides() throws {
        let world = try worldWithApplication()
        let counts = try sequences(world)
        world.advance(milliseconds: 7)
        #expect(try world.withdraw(from: "B", of: "A") == .success)
        for (user, count) in [(UserID("A"), counts[0]), (UserID("B"), counts[1])] {
            let notified = try world.events(of: user, after: count)
            #expect(notified.map(\.kind) == [.deleteFriendRequest])
            #expect(notified.first?.items.map(\.application?.status) == [.withdrawn])
            #expect(notified.first?.actorUserID == "A")
            let line = try #require(try world.applications(of: user).lines.first)
            #expect(line.status == .withdrawn && line.position.timeMs == World.start + 7)
            #expect(line.record.timeMs == World.start && line.record.wording == "hello")
        }
        #expect(try world.userRecord(of: "B")?.unreadCount == 0)
        #expect(try world.respond(to: "A", of: "B", .agree).code == .noApplication)
        #expect(try Audit(world, ["A", "B"]).findings == [])
    }

    @Test func onlyTheApplicantWithdraws() throws {
        let world = try worldWithApplication()
        let before = try world.snapshot(of: ["A", "B"])
        let none = FriendOutcome(.noApplication, Reason.ApplicationWithdraw.pendencyNotExist)
        #expect(try world.withdraw(from: "A", of: "B") == none)
        #expect(try world.withdraw(from: "A", of: "A") == none)
        #expect(
            try world.withdraw(from: "ghost", of: "A")
                == FriendOutcome(.accountNotFound, Reason.ApplicationWithdraw.accountNotExist))
        #expect(try world.snapshot(of: ["A", "B"]) == before)
        #expect(try world.withdraw(from: "B", of: "A") == .success)
        #expect(try world.withdraw(from: "B", of: "A") == none)
    }

    @Test(arguments: [PendencyType.sendOut, .comeIn])
    func whatOneSideDeletedCanBeWithdrawn(_ type: PendencyType) throws {
        let world = try worldWithApplication()
        let (owner, other): (UserID, UserID) = type == .sendOut ? ("A", "B") : ("B", "A")
        #expect(try world.deletePendency(type, with: other, of: owner) == .success)
        let count = try world.userRecord(of: owner)!.sequence
        #expect(try world.withdraw(from: "B", of: "A") == .success)
        #expect(try world.events(of: owner, after: count).isEmpty, "its record went before")
        #expect(try world.applications(of: other).lines.map(\.status) == [.withdrawn])
        #expect(try Audit(world, ["A", "B"]).findings == [])
    }

    @Test func anApplicationAfterAWithdrawalIsANewOne() throws {
        let world = try worldWithApplication()
        let id = try world.pendency(.comeIn, with: "A", of: "B")?.applicationID
        // All happens in one millisecond, and each end still has a time of its own.
        for _ in 0..<5 {
            #expect(try world.withdraw(from: "B", of: "A") == .success)
            #expect(try world.add("B", to: "A").code == .pending)
        }
        #expect(try world.pendency(.comeIn, with: "A", of: "B")?.applicationID != id)
        let lines = try world.applications(of: "B").lines
        #expect(lines.map(\.status) == [.unhandled] + Array(repeating: .withdrawn, count: 5))
        #expect(Set(lines.map(\.record.applicationID)).count == 6)
        #expect(try Audit(world, ["A", "B"]).findings == [])
    }

    @Test func whatItsSenderDeletedCountsAgainstTheLimitUntilItEnds() throws {
        let world = try World("A", "B", "C", "D", "E")
        world.settings.limits.pendencies = 2
        for user: UserID in ["B", "C", "D", "E"] { try world.allow(.needConfirm, for: user) }
        for user: UserID in ["B", "C"] {
            try #require(try world.add(user, to: "A").code == .pending)
            #expect(try world.deletePendency(.sendOut, with: user, of: "A") == .success)
        }
        #expect(try world.userRecord(of: "A")?.hiddenSentCount == 2)
        #expect(try world.add("D", to: "A").code == .pendencyLimit)
        #expect(try world.add("B", to: "A").code == .pending, "a renewal needs no room")
        #expect(try world.userRecord(of: "A")?.hiddenSentCount == 1)
        #expect(try world.add("D", to: "A").code == .pendencyLimit)
        #expect(try world.respond(to: "A", of: "C", .reject) == .success)
        #expect(try world.add("D", to: "A").code == .pending)
        #expect(try world.add("E", to: "A").code == .pendencyLimit)
        // An application that is hidden on both sides no longer exists.
        #expect(try world.deletePendency(.sendOut, with: "D", of: "A") == .success)
        #expect(try world.deletePendency(.comeIn, with: "A", of: "D") == .success)
        #expect(try world.add("E", to: "A").code == .pending)
        #expect(try Audit(world, ["A", "B", "C", "D", "E"]).findings == [])
    }

    @Test func whatItsSenderDeletedAndHasExpiredCountsNoMore() throws {
        let world = try World("A", "B", "C", "D")
        world.settings.limits.pendencies = 2
        world.settings.applicationLifetimeMs = 1_000
        for user: UserID in ["B", "C", "D"] { try world.allow(.needConfirm, for: user) }
        for user: UserID in ["B", "C"] {
            try #require(try world.add(user, to: "A").code == .pending)
            try #require(try world.deletePendency(.sendOut, with: user, of: "A") == .success)
            world.advance(milliseconds: 999)
        }
        #expect(try world.add("D", to: "A").code == .pending, "that to B is over")
        #expect(try world.sweep() == 1)
        #expect(try world.userRecord(of: "A")?.hiddenSentCount == 1)
        #expect(try Audit(world, ["A", "B", "C", "D"]).findings == [])
    }
}
