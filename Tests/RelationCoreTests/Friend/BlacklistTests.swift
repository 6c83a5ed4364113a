import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

@Suite struct BlacklistTests {
    private let users: [UserID] = ["A", "B", "C"]

    @Test func blockingEndsEverythingBetweenTheTwo() throws {
        let world = try World("A", "B", "C")
        #expect(try world.add("B", to: "A") { $0.group = "work" } == .success)
        for user in users { try world.allow(.needConfirm, for: user) }
        #expect(try world.add("C", to: "A").code == .pending)
        #expect(try world.add("A", to: "C", .single).code == .pending)
        #expect(try world.block("B", by: "A") == .success)
        #expect(try world.relation(of: "A", to: "B") == FriendRelation.none)
        #expect(try world.block("C", by: "A") == .success)
        for (owner, other) in [("A", "C"), ("C", "A")] as [(UserID, UserID)] {
            for type in [PendencyType.comeIn, .sendOut] {
                #expect(try world.pendency(type, with: other, of: owner) == nil)
            }
        }
        #expect(try world.blocks("B", by: "A") && world.blocks("C", by: "A"))
        #expect(try !world.blocks("A", by: "B"))
        #expect(try Audit(world, users).findings == [])
    }

    @Test func theBlockedUserLearnsOfTheLossAndNotOfTheBlacklist() throws {
        let world = try World("A", "B")
        #expect(try world.add("B", to: "A") == .success)
        #expect(try world.block("B", by: "A") == .success)
        #expect(try world.events(of: "B").map(\.kind) == [.addFriend, .deleteFriend])
        #expect(
            try world.events(of: "A").map(\.kind) == [.addFriend, .deleteFriend, .addBlacklist])
        let notified = try #require(try world.events(of: "A").last?.items.first)
        #expect(notified.userID == "B" && notified.blacklistEntry?.addTimeMs == World.start)
        #expect(try world.unblock("B", by: "A") == .success)
        #expect(try world.events(of: "B").count == 2)
        #expect(try world.events(of: "A").last?.kind == .deleteBlacklist)
        #expect(try Audit(world, users).findings == [])
    }

    @Test func eachApplicationEndsAsItsOwnerWouldEndIt() throws {
        let world = try World("A", "B")
        for user in users { try world.allow(.needConfirm, for: user) }
        #expect(try world.add("B", to: "A", .single).code == .pending)
        #expect(try world.add("A", to: "B", .single).code == .pending)
        let counts = (
            try world.userRecord(of: "A")!.sequence, try world.userRecord(of: "B")!.sequence
        )
        #expect(try world.block("B", by: "A") == .success)
        let mine = try world.events(of: "A", after: counts.0)
        let theirs = try world.events(of: "B", after: counts.1)
        #expect(mine.map(\.kind) == [.deleteFriendRequest, .addBlacklist])
        #expect(theirs.map(\.kind) == [.deleteFriendRequest])
        let outcomes: [PendencyType: ApplicationStatus] = [.sendOut: .withdrawn, .comeIn: .refused]
        for application in mine[0].items.compactMap(\.application) {
            #expect(application.status == outcomes[application.pendencyType])
        }
        let reverse: [PendencyType: ApplicationStatus] = [.comeIn: .withdrawn, .sendOut: .refused]
        for application in theirs[0].items.compactMap(\.application) {
            #expect(application.status == reverse[application.pendencyType])
        }
        #expect(mine[0].items.count == 2 && theirs[0].items.count == 2)
    }

    @Test func anAppMayKeepFriendshipsAndStillEndsApplications() throws {
        let world = try World("A", "B")
        world.settings.keepsFriendshipOnBlacklist = true
        #expect(try world.add("B", to: "A", .single) == .success)
        try world.allow(.needConfirm, for: "A")
        #expect(try world.add("A", to: "B").code == .pending)
        #expect(try world.block("B", by: "A") == .success)
        #expect(try world.relation(of: "A", to: "B") == .myUni)
        #expect(try world.pendency(.comeIn, with: "B", of: "A") == nil)
        #expect(try Audit(world, users, sharp: false).findings == [])
    }

    @Test func theAnswersOfBlockingComeInOrder() throws {
        let world = try World("A", "B", "C")
        world.settings.limits.blacklistedUsers = 1
        #expect(try world.block("B", by: "A") == .success)
        let before = try world.snapshot(of: users)
        for (user, outcome, code) in [
            ("A", FriendOutcome(.invalidParameter, Reason.BlacklistAdd.oneself), 30001),
            ("ghost", FriendOutcome(.accountNotFound, Reason.BlacklistAdd.accountNotExist), 30003),
            ("B", FriendOutcome(.alreadyInBlacklist, Reason.BlacklistAdd.alreadyExist), 31307),
            ("C", FriendOutcome(.blacklistFull, Reason.BlacklistAdd.blacklistFull), 30013),
        ] as [(UserID, FriendOutcome, Int32)] {
            let answer = try world.block(user, by: "A")
            #expect(answer == outcome)
            #expect(answer.code.rawValue == code)
        }
        #expect(try world.snapshot(of: users) == before)
    }

    @Test func aFullBlacklistStillKnowsWhomItHas() throws {
        let world = try World("A", "B", "C")
        world.settings.limits.blacklistedUsers = 1
        #expect(try world.block("B", by: "A") == .success)
        #expect(try world.unblock("C", by: "A").code.rawValue == 31503)
        #expect(
            try world.unblock("ghost", by: "A")
                == FriendOutcome(.accountNotFound, Reason.BlacklistDelete.accountNotExist))
        #expect(try world.unblock("B", by: "A") == .success)
        #expect(
            try world.unblock("B", by: "A")
                == FriendOutcome(.notInBlacklist, Reason.BlacklistDelete.notInBlacklist))
        #expect(try world.block("C", by: "A") == .success)
        #expect(try Audit(world, users).findings == [])
    }

    @Test func unblockingRestoresNothing() throws {
        let world = try World("A", "B")
        #expect(try world.add("B", to: "A") { $0.remark = "x" } == .success)
        #expect(try world.block("B", by: "A") == .success)
        #expect(try world.add("B", to: "A").code == .inSelfBlacklist)
        #expect(try world.add("A", to: "B").code == .inOtherSideBlacklist)
        #expect(try world.unblock("B", by: "A") == .success)
        #expect(try world.relation(of: "A", to: "B") == FriendRelation.none)
        #expect(try world.add("A", to: "B") == .success)
        #expect(try world.friend("B", of: "A")?.remark == "")
        #expect(try Audit(world, users).findings == [])
    }

    @Test func whoBlocksIsSeenFromOutside() throws {
        let world = try World("A", "B", "C")
        #expect(try world.block("C", by: "A") == .success)
        let owners = try world.read { (transaction) throws(StorageError) in
            try Blacklist.owners(
                among: ["B", "A", "ghost", "A"], blocking: "C", app: world.app, in: transaction)
        }
        #expect(owners == [false, true, false, true])
    }
}
