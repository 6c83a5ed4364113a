import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

@Suite struct InvitationTests {
    private static let users: [UserID] = ["A", "B", "C", "D"]

    private func world(_ edit: (inout AppSettings) -> Void = { _ in }) throws -> World {
        var settings = AppSettings.tim
        settings.defaultAllowType = .needConfirm
        edit(&settings)
        let world = try World(settings: settings)
        try world.create(Self.users)
        return world
    }

    private func expectWhole(_ world: World) throws {
        #expect(try Audit(world, Self.users).findings == [])
        #expect(try world.integrity() == [])
    }

    private func relation(_ one: UserID, _ other: UserID, _ world: World) throws -> Bool {
        try world.rows(of: Tables.friends, of: one).contains { $0.key == other }
    }

    // MARK: Using

    @Test func aPreApprovedInvitationMakesFriendsAtOnceWhateverTheAllowTypeIs() throws {
        for allowType in [AllowType.allowAny, .needConfirm, .denyAny] {
            let world = try world()
            try world.allow(allowType, for: "A")
            #expect(try world.invite(1, of: "A") { $0.preApproved = true } == .success)
            #expect(
                try world.accept(1, by: "B") {
                    $0.remark = "the inviter"
                    $0.source = "AddSource_Type_Invite"
                } == .success)
            #expect(try relation("A", "B", world) && relation("B", "A", world))
            let mine = try world.rows(of: Tables.friends, of: "B").first?.record
            #expect(mine?.remark == "the inviter" && mine?.source == "AddSource_Type_Invite")
            try expectWhole(world)
        }
    }

    @Test func anotherInvitationGoesByTheInvitersAllowType() throws {
        let world = try world()
        #expect(try world.invite(1, of: "A", uses: 3) == .success)
        #expect(try world.accept(1, by: "B").code == .pending)
        #expect(try world.invitations(of: "A").first?.useCount == 1)
        try world.allow(.allowAny, for: "A")
        #expect(try world.accept(1, by: "C") == .success)
        try world.allow(.denyAny, for: "A")
        #expect(
            try world.accept(1, by: "D")
                == FriendOutcome(.friendSideForbidsAdd, Reason.FriendAdd.allowTypeForbid))
        #expect(try world.invitations(of: "A").first?.useCount == 2)
        try expectWhole(world)
    }

    /// The first rung that applies is the answer, and a refusal takes no use.
    @Test func theLadderOfAUse() throws {
        let world = try world { $0.forbiddenWords = ["worse"] }
        let unknown = FriendOutcome(.invalidParameter, Reason.InvitationAccept.notFound)
        #expect(try world.accept(1, by: "B") == unknown)
        #expect(try world.invite(1, of: "A", uses: 2) { $0.preApproved = true } == .success)
        #expect(
            try world.accept(1, by: "A")
                == FriendOutcome(.invalidParameter, Reason.FriendAdd.oneself))
        #expect(try world.block("A", by: "B").isAcceptable)
        #expect(try world.accept(1, by: "B").code == .inSelfBlacklist)
        #expect(try world.block("C", by: "A").isAcceptable)
        #expect(try world.accept(1, by: "C").code == .inOtherSideBlacklist)
        #expect(try world.accept(1, by: "D") { $0.wording = "worse" }.code == .sensitiveText)
        #expect(try world.invitations(of: "A").first?.useCount == 0)
        #expect(try world.accept(1, by: "D") == .success)
        #expect(
            try world.accept(1, by: "D")
                == FriendOutcome(.invalidParameter, Reason.FriendAdd.friendExist))
        #expect(try world.invitations(of: "A").first?.useCount == 1)
        // A revoked one is answered as if it had never been, also if it has expired since.
        #expect(try world.revoke(1, of: "A") == true)
        #expect(try world.accept(1, by: "B") == unknown)
        world.advance(milliseconds: 3_600_000)
        #expect(try world.accept(1, by: "B") == unknown)
        #expect(try world.invite(2, of: "A") == .success)
        world.advance(milliseconds: 3_599_999)
        #expect(try world.accept(2, by: "B").code == .inSelfBlacklist)
        world.advance(milliseconds: 1)
        #expect(
            try world.accept(2, by: "B")
                == FriendOutcome(.invalidParameter, Reason.InvitationAccept.expired))
        try expectWhole(world)
    }

    @Test func fullListsRefuseAUseAndTakeNone() throws {
        let world = try world { $0.limits.friends = 1 }
        #expect(try world.invite(1, of: "A", uses: 2) { $0.preApproved = true } == .success)
        #expect(try world.importFriend("C", of: "B").isAcceptable)
        #expect(try world.accept(1, by: "B").code == .selfFriendFull)
        #expect(try world.accept(1, by: "D") == .success)
        #expect(try world.accept(1, by: "C").code == .theirFriendFull)
        #expect(try world.invitations(of: "A").first?.useCount == 1)
        try expectWhole(world)
    }

    @Test func theLastUseEndsAnInvitationForOthers() throws {
        let world = try world()
        #expect(try world.invite(1, of: "A", uses: 2) { $0.preApproved = true } == .success)
        #expect(try world.accept(1, by: "B") == .success)
        #expect(try world.accept(1, by: "C") == .success)
        let record = try #require(try world.invitations(of: "A").first)
        #expect(record.state == .usedUp && record.useCount == 2)
        #expect(record.endTimeMs == world.now.milliseconds)
        #expect(
            try world.accept(1, by: "D")
                == FriendOutcome(.invalidParameter, Reason.InvitationAccept.usedUp))
        try expectWhole(world)
    }

    /// The approval is good once for each user: an inviter that ends a friendship is asked again.
    @Test func aUserTakesOneUseAndIsApprovedOnce() throws {
        let world = try world()
        #expect(try world.invite(1, of: "A", uses: 1) { $0.preApproved = true } == .success)
        #expect(try world.accept(1, by: "B") == .success)
        _ = try world.call(by: "A") { (ledger) throws(StorageError) in
            try FriendRules.delete("B", from: "A", .both, in: ledger)
        }
        #expect(try world.accept(1, by: "B").code == .pending)
        #expect(try world.invitations(of: "A").first?.useCount == 1)
        #expect(try world.accept(1, by: "C").reason == Reason.InvitationAccept.usedUp)
        try expectWhole(world)
    }

    @Test func aDeletedInviterIsNoAccount() throws {
        let world = try world()
        #expect(try world.invite(1, of: "A") == .success)
        try world.deleteAccount("A")
        #expect(try world.accept(1, by: "B").code == .accountNotFound)
        try world.runJobs()
        #expect(try world.accept(1, by: "B").reason == Reason.InvitationAccept.notFound)
        let left = try world.rows(of: Tables.invitationIDs, in: world.app.invitationIDs)
        #expect(left.isEmpty)
        try expectWhole(world)
    }

    @Test func aCountOfUsesThatIsTooLowStopsNothing() throws {
        let world = try world()
        for (number, inviter) in [(1, "A"), (2, "C"), (3, "D")] as [(Int, UserID)] {
            if number == 3 {
                world.advance(milliseconds: 3_600_000)
                try world.call(by: nil) { (ledger) throws(StorageError) in
                    try ledger.changeUserRecord(of: "B") { $0.invitationUseCount = 0 }
                }
            }
            #expect(try world.invite(number, of: inviter) { $0.preApproved = true } == .success)
            #expect(try world.accept(number, by: "B") == .success)
        }
        #expect(try world.userRecord(of: "B")?.invitationUseCount == 0)
        #expect(try world.integrity() != [])
    }

    // MARK: Making and ending

    @Test func theLimitCountsThoseThatAreGood() throws {
        let world = try world {
            $0.limits.invitations = 2
            $0.forbiddenWords = ["worse"]
        }
        let full = FriendOutcome(.invalidParameter, Reason.InvitationCreate.limit)
        #expect(try world.invite(1, of: "A") == .success)
        #expect(try world.invite(2, of: "A") == .success)
        #expect(try world.invite(3, of: "A") { $0.text = "worse" }.code == .sensitiveText)
        #expect(try world.invite(3, of: "A") == full)
        #expect(try world.invite(3, of: "B") == .success)
        #expect(try world.revoke(2, of: "A") == true)
        #expect(try world.invite(4, of: "A") == .success)
        #expect(try world.invite(5, of: "A") == full)
        world.advance(milliseconds: 3_600_000)
        #expect(try world.invite(6, of: "A") == .success)
        let states = try world.invitations(of: "A").map(\.state)
        #expect(states == [.active, .expired, .revoked, .expired])
        try expectWhole(world)
    }

    @Test func aHundredThatHaveEndedStayWhenANewOneIsMade() throws {
        let world = try world()
        for number in 0..<(Limits.endedInvitations + 2) {
            #expect(try world.invite(number, of: "A") == .success)
            world.advance(milliseconds: 1)
            #expect(try world.revoke(number, of: "A") == true)
        }
        #expect(try world.invite(200, of: "A") == .success)
        let ids = try world.invitations(of: "A").map(\.invitationID)
        #expect(ids.count == Limits.endedInvitations + 1)
        #expect(!ids.contains(World.invitation(1).text))
        #expect(ids.contains(World.invitation(2).text))
        try expectWhole(world)
    }

    @Test func onlyItsInviterRevokesAnInvitationAndOnlyOnce() throws {
        let world = try world()
        #expect(try world.invite(1, of: "A") == .success)
        #expect(try world.revoke(1, of: "B") == nil)
        #expect(try world.revoke(2, of: "A") == nil)
        #expect(try world.revoke(1, of: "A") == true)
        #expect(try world.revoke(1, of: "A") == false)
        try expectWhole(world)
    }

    @Test func aListForgetsAnInvitationThirtyDaysAfterItsEnd() throws {
        let world = try world()
        #expect(try world.invite(1, of: "A") == .success)
        #expect(try world.invite(2, of: "A") == .success)
        #expect(try world.revoke(2, of: "A") == true)
        world.advance(milliseconds: Limits.endedInvitationMilliseconds)
        #expect(
            try world.invitations(of: "A").map(\.invitationID) == [World.invitation(1).text])
        #expect(try world.revoke(2, of: "A") == nil)
        #expect(try world.removeInvitations() == 1)
        #expect(try world.rows(of: Tables.invitations, of: "A").count == 1)
        try expectWhole(world)
        world.advance(milliseconds: 3_600_000)
        #expect(try world.invitations(of: "A").isEmpty)
        #expect(try world.removeInvitations(limit: 1) == 1)
        #expect(try world.rows(of: Tables.invitations, of: "A").isEmpty)
        try expectWhole(world)
    }

    @Test func aUserForgetsTheUsesOfInvitationsThatHaveExpired() throws {
        let world = try world()
        let many = Limits.invitationUsesForgotten + 3
        for number in 0..<many {
            #expect(try world.invite(number, of: "A") { $0.preApproved = true } == .success)
            #expect(try world.accept(number, by: "B") == .success)
            _ = try world.call(by: "A") { (ledger) throws(StorageError) in
                try FriendRules.delete("B", from: "A", .both, in: ledger)
            }
        }
        world.advance(milliseconds: 3_600_000)
        #expect(try world.invite(100, of: "A") == .success)
        #expect(try world.accept(100, by: "B").code == .pending)
        #expect(try world.rows(of: Tables.invitationUses, of: "B").count == 4)
        try expectWhole(world)
    }

    @Test func theInviterIsNotifiedOfEachChangeAndOfTheUser() throws {
        let world = try world()
        #expect(try world.invite(1, of: "A", uses: 2) { $0.preApproved = true } == .success)
        #expect(try world.accept(1, by: "B") == .success)
        #expect(try world.revoke(1, of: "A") == true)
        let notified = try world.events(of: "A").filter { $0.kind == .invitationChanged }
        #expect(notified.flatMap(\.items).map(\.userID) == ["", "B", ""])
        #expect(notified.flatMap(\.items).map(\.invitation?.useCount) == [0, 1, 1])
        #expect(
            notified.flatMap(\.items).map(\.invitation?.state) == [.active, .active, .revoked])
        #expect(try world.events(of: "B").allSatisfy { $0.kind != .invitationChanged })
    }

    // MARK: Integrity

    @Test func aCheckFindsAndRepairsWhatDoesNotFit() throws {
        let world = try world()
        #expect(try world.invite(1, of: "A") { $0.preApproved = true } == .success)
        #expect(try world.accept(1, by: "B") == .success)
        let ids = world.app.invitationIDs
        try world.call(by: nil) { (ledger) throws(StorageError) in
            Tables.invitationIDs.remove(ids, World.invitation(1), in: ledger.transaction)
            var stray = InvitationOwnerRecord()
            stray.userID = "C"
            try Tables.invitationIDs.set(
                stray, at: ids, World.invitation(9), in: ledger.transaction)
            try ledger.changeUserRecord(of: "A") { $0.nextInvitationEndMs = 0 }
            try ledger.changeUserRecord(of: "B") { $0.invitationUseCount = 7 }
        }
        let found = try world.integrity()
        for subject in ["invitation_ids", "invitation_ends", "invitation_use_count"] {
            #expect(found.contains { "\($0)".contains(subject) }, "\(subject)")
        }
        for user in Self.users {
            _ = try world.call(by: nil) { (ledger) throws(StorageError) in
                try Integrity.repair(user, in: ledger)
            }
        }
        let strays = try world.read { (transaction) throws(StorageError) in
            try Integrity.invitations(of: world.app, after: nil, limit: 10, in: transaction)
        }
        #expect(strays.filter(\.isStray).map(\.id) == [World.invitation(9)])
        let removed = try world.call(by: nil) { (ledger) throws(StorageError) in
            try Integrity.removeStrays(among: strays.map(\.id), in: ledger)
        }
        #expect(removed == [World.invitation(9)])
        #expect(try world.integrity() == [])
    }
}
