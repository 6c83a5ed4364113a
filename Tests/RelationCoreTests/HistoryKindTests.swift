import RelationModel
import RelationSuite
import Storage
import Testing

@testable import RelationCore

/// The history of follows, of groups and of profiles, and what is taken back of them.
@Suite struct HistoryKindTests {
    private static let users: [UserID] = ["A", "B", "C"]

    private func world() throws -> World {
        var settings = AppSettings.tim
        settings.historyDays = 30
        return try World("A", "B", "C", settings: settings)
    }

    private func expectWhole(_ world: World) throws {
        let findings = try Audit(world, Self.users).findings
        #expect(findings == [])
        #expect(try world.integrity() == [])
    }

    private func follow(_ user: UserID, by owner: UserID, _ world: World) throws {
        let outcome = try world.call(by: owner) { (ledger) throws(StorageError) in
            try FollowRules.follow(owner, user, in: ledger)
        }
        #expect(outcome == .success)
    }

    private func unfollow(_ user: UserID, by owner: UserID, _ world: World) throws {
        let outcome = try world.call(by: owner) { (ledger) throws(StorageError) in
            try FollowRules.unfollow(owner, user, in: ledger)
        }
        #expect(outcome == .success)
    }

    private func follows(_ world: World) throws -> [FollowRecord] {
        try world.rows(of: Tables.follows, of: "A").map(\.record)
    }

    private func refusal(_ reason: Reason) -> FriendOutcome {
        FriendOutcome(.invalidParameter, reason)
    }

    // MARK: Follows

    @Test func aFollowAndItsEndAreTakenBack() throws {
        let world = try world()
        try follow("B", by: "A", world)
        try follow("A", by: "B", world)
        #expect(try world.lastChanges() == ["B followingChanged A"])
        let before = try follows(world)
        world.advance(milliseconds: 1_000)
        try unfollow("B", by: "A", world)
        #expect(try world.undoLast() == .success)
        #expect(try follows(world) == before)
        try expectWhole(world)
        #expect(try world.undo(1) == .success)
        #expect(try follows(world) == [])
        #expect(try world.undo(1) == .unchanged)
        try expectWhole(world)
    }

    @Test func aBlockIsTakenBackWithTheFollowsThatItEnded() throws {
        let world = try world()
        try follow("B", by: "A", world)
        try follow("A", by: "B", world)
        #expect(try world.block("B", by: "A") == .success)
        #expect(try follows(world) == [])
        #expect(try world.undoLast() == .success)
        #expect(try follows(world).map(\.userID) == ["B"])
        try expectWhole(world)
    }

    @Test func aFollowDoesNotComeBackBesideABlacklist() throws {
        for keeps in [false, true] {
            let world = try world()
            world.settings.keepsFriendshipOnBlacklist = keeps
            try follow("B", by: "A", world)
            try unfollow("B", by: "A", world)
            #expect(try world.block("A", by: "B") == .success)
            #expect(try world.undo(2) == refusal(Reason.ChangeUndo.blocked))
        }
    }

    @Test func aFollowThatCameSinceStands() throws {
        let world = try world()
        try follow("B", by: "A", world)
        try unfollow("B", by: "A", world)
        world.advance(milliseconds: 1)
        try follow("B", by: "A", world)
        #expect(try world.undo(2) == refusal(Reason.ChangeUndo.changedSince))
    }

    // MARK: Groups

    @Test func aGroupIsMadeRenamedAndDeletedAndAllIsTakenBack() throws {
        let world = try world()
        #expect(try world.createGroup("work", of: "A") == .success)
        #expect(try world.lastChanges() == ["A groupCreated"])
        #expect(try world.renameGroup("work", to: "job", of: "A") == .success)
        #expect(try world.lastChanges() == ["A groupRenamed"])
        #expect(try world.deleteGroup("job", of: "A") == .success)
        #expect(try world.lastChanges() == ["A groupDeleted"])
        #expect(try world.undo(3) == .success)
        #expect(try world.groups(of: "A") == ["job"])
        #expect(try world.undo(2) == .success)
        #expect(try world.groups(of: "A") == ["work"])
        #expect(try world.undo(1) == .success)
        #expect(try world.groups(of: "A") == [])
        #expect(try world.undo(1) == .unchanged)
        try expectWhole(world)
    }

    @Test func aGroupWithMembersGetsItsNameBackAndStays() throws {
        let world = try world()
        #expect(try world.createGroup("work", of: "A") == .success)
        #expect(try world.add("B", to: "A") { $0.groups = ["work"] } == .success)
        #expect(try world.undo(1) == refusal(Reason.ChangeUndo.changedSince))
        try world.call(by: "A", requestID: "r1") { (ledger) throws(StorageError) in
            _ = try GroupRules.rename("work", to: "job", of: "A", in: ledger)
        }
        let taken = try world.undoChosen { $0.requestID = "r1" }
        #expect(taken.outcomes.allSatisfy { $0.code == .success })
        #expect(try world.groups(of: "A") == ["work"])
        #expect(try world.friend("B", of: "A")?.groups == ["work"])
        try expectWhole(world)
    }

    @Test func membersComeBackIntoAGroupThatWasDeleted() throws {
        let world = try world()
        #expect(try world.add("B", to: "A") { $0.groups = ["work"] } == .success)
        // The row of the friend tells of the group that was made for it.
        #expect(try world.lastChanges() == ["A addFriend B", "B addFriend A"])
        try world.call(by: "A", requestID: "r1") { (ledger) throws(StorageError) in
            _ = try GroupRules.delete("work", of: "A", in: ledger)
        }
        let taken = try world.undoChosen { $0.requestID = "r1" }
        #expect(taken.outcomes.count == 2)
        #expect(taken.outcomes.allSatisfy { $0.code == .success })
        #expect(try world.friend("B", of: "A")?.groups == ["work"])
        #expect(try world.group("work", of: "A")?.memberCount == 1)
        try expectWhole(world)
    }

    @Test func aGroupThatHasNoRoomStaysGone() throws {
        let world = try world()
        #expect(try world.createGroup("work", of: "A") == .success)
        #expect(try world.deleteGroup("work", of: "A") == .success)
        world.settings.limits.groups = 0
        #expect(
            try world.undo(2) == FriendOutcome(.groupLimit, Reason.ChangeUndo.groupLimit))
    }

    // MARK: Profiles

    @Test func theFieldsThatChangedAreKeptAndNoOthers() throws {
        let world = try world()
        _ = try world.setProfile(of: "A", [.nick, .level]) { ($0.nick, $0.level) = ("Ann", 3) }
        _ = try world.setProfile(of: "A", [.nick, .level]) { ($0.nick, $0.level) = ("Anna", 3) }
        let record = try #require(try world.history().entries.first?.record)
        #expect(record.users == ["A"])
        let rows = try world.read { (transaction) throws(StorageError) in
            try record.rows(in: transaction)
        }
        guard case .profile(let difference) = rows.first?.content else {
            Issue.record("no fields of a profile")
            return
        }
        #expect(difference.paths == ["nick"])
        #expect(difference.before.nick == "Ann" && difference.after.nick == "Anna")
        #expect(difference.after.level == nil && difference.after.version == 0)
        try expectWhole(world)
    }

    @Test func theFieldsOfACallComeBackAndOthersStay() throws {
        let world = try world()
        _ = try world.setProfile(of: "A", [.nick, .email]) { $0.nick = "Ann" }
        _ = try world.setProfile(of: "A", [.nick, .email]) {
            ($0.nick, $0.email) = ("spam", "spam@example.org")
        }
        _ = try world.setProfile(of: "A", [.level]) { $0.level = 7 }
        #expect(try world.undo(2) == .success)
        let profile = try world.read { (transaction) throws(StorageError) in
            try Profiles.record(of: "A", app: world.app, in: transaction)
        }
        #expect(profile.nick == "Ann" && profile.email == nil && profile.level == 7)
        #expect(try world.log(of: "A").last?.1.kind == .profileChange)
        #expect(try world.undo(2) == .unchanged)
        _ = try world.setProfile(of: "A", [.level]) { $0.level = 8 }
        #expect(try world.undo(3) == refusal(Reason.ChangeUndo.changedSince))
        try expectWhole(world)
    }

    @Test func aUniqueIDThatAnotherUserHasStaysThere() throws {
        let world = try world()
        _ = try world.setProfile(of: "A", [.uniqueID]) { $0.uniqueID = "ann1" }
        _ = try world.setProfile(of: "A", [.uniqueID]) { $0.uniqueID = nil }
        _ = try world.setProfile(of: "B", [.uniqueID]) { $0.uniqueID = "ann1" }
        #expect(try world.undo(2) == refusal(Reason.ChangeUndo.changedSince))
        _ = try world.setProfile(of: "B", [.uniqueID]) { $0.uniqueID = nil }
        #expect(try world.undo(2) == .success)
        try expectWhole(world)
    }

    // MARK: Erasure

    @Test func nothingOfADeletedUserStaysInAnyKind() throws {
        let world = try world()
        _ = try world.setProfile(of: "A", [.nick]) { $0.nick = "Ann" }
        #expect(try world.createGroup("work", of: "A") == .success)
        try follow("B", by: "A", world)
        try follow("A", by: "B", world)
        try follow("C", by: "B", world)
        try world.deleteAccount("A")
        // The deletion itself has no entry of the profile that goes.
        #expect(try world.history().entries.count == 5)
        try world.runJobs()
        #expect(try world.history().entries.map(\.position) == [5])
        #expect(try world.undo(1) == refusal(Reason.ChangeUndo.notExist))
        #expect(try world.kinds(of: "A") == [Tables.departed.kind])
        try expectWhole(world)
    }
}
