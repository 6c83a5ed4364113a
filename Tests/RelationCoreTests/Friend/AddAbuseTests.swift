import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

/// The settings of an app that slow down users who add too many others.
@Suite struct AddAbuseTests {
    private static let users: [UserID] = ["A", "B", "C", "D"]
    private static let day: Int64 = 86_400_000

    private func world(_ edit: (inout AppSettings) -> Void) throws -> World {
        var settings = AppSettings.tim
        settings.defaultAllowType = .needConfirm
        edit(&settings)
        let world = try World(settings: settings)
        try world.create(Self.users)
        return world
    }

    private func refused(_ reason: Reason) -> FriendOutcome {
        FriendOutcome(.addRestricted, reason)
    }

    private func expectWhole(_ world: World) throws {
        #expect(try Audit(world, Self.users).findings == [])
        #expect(try world.integrity() == [])
    }

    // MARK: Applications that come in

    @Test func applicationsToOneUserAreCountedUntilMidnightUTC() throws {
        let world = try world { $0.applicationsReceivedPerDay = 2 }
        world.now = Timestamp(milliseconds: World.start / Self.day * Self.day)
        #expect(try world.add("A", to: "B").code == .pending)
        #expect(try world.add("A", to: "C").code == .pending)
        let full = refused(Reason.FriendAdd.peerRestricted)
        #expect(try world.add("A", to: "D") == full)
        // A renewal is no further one, and others may be asked.
        #expect(try world.add("A", to: "C").code == .pending)
        #expect(try world.add("B", to: "D").code == .pending)
        // One that was taken back has come in all the same.
        #expect(try world.withdraw(from: "A", of: "B") == .success)
        #expect(try world.add("A", to: "D") == full)
        world.advance(milliseconds: Self.day - 1)
        #expect(try world.add("A", to: "D") == full)
        world.advance(milliseconds: 1)
        #expect(try world.add("A", to: "D").code == .pending)
        #expect(try world.userRecord(of: "A")?.receivedToday == 1)
        try expectWhole(world)
    }

    @Test func whatComesInIsNotCountedWhereNothingBoundsIt() throws {
        let world = try world { _ in }
        #expect(try world.add("A", to: "B").code == .pending)
        let record = try #require(try world.userRecord(of: "A"))
        #expect(record.receivedToday == 0 && record.receivedDay == 0)
    }

    // MARK: After a refusal

    @Test func aRefusedApplicantWaits() throws {
        let world = try world { $0.applicationCooldownMs = 60_000 }
        #expect(try world.add("A", to: "B").code == .pending)
        // An application ends later than it begins, by a millisecond at least.
        world.advance(milliseconds: 1)
        #expect(try world.respond(to: "B", of: "A", .reject) == .success)
        let early = refused(Reason.FriendAdd.coolingDown)
        #expect(try world.add("A", to: "B") == early)
        // It is a matter of these two, and of this direction.
        #expect(try world.add("C", to: "B").code == .pending)
        #expect(try world.add("A", to: "C").code == .pending)
        #expect(try world.add("B", to: "A").code == .pending)
        #expect(try world.withdraw(from: "B", of: "A") == .success)
        world.advance(milliseconds: 59_999)
        #expect(try world.add("A", to: "B") == early)
        world.advance(milliseconds: 1)
        #expect(try world.add("A", to: "B").code == .pending)
        try expectWhole(world)
    }

    @Test func whoHidesAnApplicationWaitsAllTheSame() throws {
        let world = try world { $0.applicationCooldownMs = 60_000 }
        #expect(try world.add("A", to: "B").code == .pending)
        #expect(try world.deletePendency(.sendOut, with: "A", of: "B") == .success)
        #expect(try world.respond(to: "B", of: "A", .reject) == .success)
        #expect(try world.add("A", to: "B") == refused(Reason.FriendAdd.coolingDown))
    }

    @Test func anotherEndIsNoRefusal() throws {
        let world = try world {
            $0.applicationCooldownMs = 60_000
            $0.applicationLifetimeMs = 1_000
        }
        #expect(try world.add("A", to: "B").code == .pending)
        #expect(try world.withdraw(from: "A", of: "B") == .success)
        #expect(try world.add("A", to: "B").code == .pending)
        world.advance(milliseconds: 1_001)
        #expect(try world.add("A", to: "B").code == .pending)
    }

    // MARK: New accounts

    @Test func aNewAccountAddsNoFriend() throws {
        let world = try world { $0.newAccountQuarantineMs = 60_000 }
        let young = refused(Reason.FriendAdd.newAccount)
        try world.allow(.allowAny, for: "C")
        #expect(try world.add("A", to: "B") == young)
        #expect(try world.add("C", to: "B") == young)
        #expect(try world.add("C", to: "B", force: true) == .success)
        // A user that lets no other add it says so to a new account too.
        try world.allow(.denyAny, for: "D")
        #expect(try world.add("D", to: "B").code == .friendSideForbidsAdd)
        world.advance(milliseconds: 59_999)
        #expect(try world.add("A", to: "B") == young)
        world.advance(milliseconds: 1)
        #expect(try world.add("A", to: "B").code == .pending)
        try expectWhole(world)
    }

    @Test func aNewAccountAnswersOthersAndUsesWhatApprovesIt() throws {
        let world = try world { $0.newAccountQuarantineMs = 60_000 }
        world.advance(milliseconds: 60_000)
        try world.create(["new", "newer"])
        try world.allow(.needConfirm, for: "new")
        #expect(try world.add("new", to: "B").code == .pending)
        #expect(try world.add("B", to: "new") == .success, "B applied itself")
        #expect(try world.invite(1, of: "C", uses: 2) == .success)
        #expect(try world.accept(1, by: "newer") == refused(Reason.FriendAdd.newAccount))
        #expect(try world.invite(2, of: "C") { $0.preApproved = true } == .success)
        #expect(try world.accept(2, by: "newer") == .success)
    }

    @Test func theFirstOfTheseReasonsIsReported() throws {
        let world = try world {
            $0.applicationsPerDay = 1
            $0.applicationCooldownMs = 60_000
            $0.applicationsReceivedPerDay = 1
            $0.newAccountQuarantineMs = 1_000
        }
        #expect(try world.add("A", to: "B") == refused(Reason.FriendAdd.newAccount))
        world.advance(milliseconds: 1_000)
        #expect(try world.add("A", to: "B").code == .pending)
        #expect(try world.respond(to: "B", of: "A", .reject) == .success)
        #expect(try world.add("A", to: "B") == refused(Reason.FriendAdd.restricted))
        world.settings.applicationsPerDay = 0
        #expect(try world.add("A", to: "B") == refused(Reason.FriendAdd.coolingDown))
        world.settings.applicationCooldownMs = 0
        #expect(try world.add("A", to: "B") == refused(Reason.FriendAdd.peerRestricted))
        world.settings.applicationsReceivedPerDay = 0
        #expect(try world.add("A", to: "B").code == .pending)
    }
}
