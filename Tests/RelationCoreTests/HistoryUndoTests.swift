import Protobuf
import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

/// Taking changes of relations back, by the entries of the history.
@Suite struct HistoryUndoTests {
    private static let users: [UserID] = ["A", "B", "C"]

    private func world() throws -> World {
        var settings = AppSettings.tim
        settings.historyDays = 30
        return try World("A", "B", "C", settings: settings)
    }

    /// - Parameter limits: The highest limits that the app ever had; nil for its present ones.
    private func expectWhole(_ world: World, limits: AppLimits? = nil) throws {
        #expect(try Audit(world, Self.users, limits: limits).findings == [])
        #expect(try world.integrity() == [])
    }

    private func refusal(_ reason: Reason) -> FriendOutcome {
        FriendOutcome(.invalidParameter, reason)
    }

    /// The rows between A and B, without their sequences.
    private func rows(_ world: World) throws -> [FriendRecord?] {
        var rows = [try world.friend("B", of: "A"), try world.friend("A", of: "B")]
        for index in rows.indices { rows[index]?.sequence = 0 }
        return rows
    }

    /// Makes A and B friends with values on both sides.
    private func befriend(_ world: World) throws {
        let added = try world.add("B", to: "A") {
            $0.remark = "Bobby"
            $0.groups = ["work", "chess"]
        }
        #expect(added == .success)
        world.advance(milliseconds: 1_000)
        let updated = try world.update("A", of: "B") {
            $0.remark = "Ann"
            $0.starred = true
            $0.muteUntilMs = 5
        }
        #expect(updated == .success)
        world.advance(milliseconds: 1_000)
    }

    // MARK: Friends

    @Test func aDeletedFriendshipComesBackOnBothSidesAsItWas() throws {
        let world = try world()
        try befriend(world)
        let before = try rows(world)
        #expect(try world.delete("B", from: "A", .both) == .success)
        let position = try #require(try world.history().entries.first?.position)
        #expect(try world.deleteGroup("chess", of: "A") == .success)
        world.advance(milliseconds: 1_000)
        #expect(try world.undo(position) == .success)
        #expect(try rows(world) == before)
        #expect(try world.groups(of: "A") == ["work", "chess"])
        #expect(try world.lastChanges() == ["A addFriend B", "B addFriend A"])
        #expect(try world.log(of: "B").last?.1.kind == .addFriend)
        try expectWhole(world)
        // Taking back is a change, which can be taken back too.
        #expect(try world.undoLast() == .success)
        #expect(try rows(world) == [nil, nil])
        try expectWhole(world)
    }

    @Test func oneSideComesBackAlone() throws {
        let world = try world()
        try befriend(world)
        let before = try rows(world)
        #expect(try world.delete("B", from: "A") == .success)
        #expect(try world.undoLast() == .success)
        #expect(try rows(world) == before)
        try expectWhole(world)
    }

    @Test func eventsTellTheOrderOfOneRowsChanges() throws {
        let world = try world()
        var mirror = Mirror()
        for _ in 0..<2 {
            #expect(try world.add("B", to: "A") == .success)
            world.advance(milliseconds: 1_000)
            #expect(try world.delete("B", from: "A", .both) == .success)
            world.advance(milliseconds: 1_000)
        }
        #expect(try world.createGroup("chess", of: "A") == .success)
        #expect(try mirror.follow(world, Self.users) == [])
        let undone = try world.undoChosen { $0.user = "A" }
        #expect(undone.outcomes == Array(repeating: .success, count: 5))
        #expect(try rows(world) == [nil, nil])
        #expect(try mirror.follow(world, Self.users) == [])
        try expectWhole(world)
    }

    @Test func anAdditionAndAChangeAreTakenBack() throws {
        let world = try world()
        #expect(try world.add("B", to: "A") == .success)
        let before = try rows(world)
        let changed = try world.update("B", of: "A") {
            $0.remark = "Rob"
            $0.groups = ["work"]
        }
        #expect(changed == .success)
        #expect(try world.undo(2) == .success)
        #expect(try rows(world) == before)
        #expect(try world.group("work", of: "A")?.memberCount == 0)
        try expectWhole(world)
        // The addition is as the first entry left it again.
        #expect(try world.undo(1) == .success)
        #expect(try rows(world) == [nil, nil])
        #expect(try world.undo(1) == .unchanged)
        try expectWhole(world)
    }

    @Test func applicationsEndWhenAFriendComesBack() throws {
        let world = try world()
        try befriend(world)
        #expect(try world.delete("B", from: "A", .both) == .success)
        let position = try #require(try world.history().entries.first?.position)
        world.settings.defaultAllowType = .needConfirm
        #expect(try world.add("B", to: "A").code == .pending)
        #expect(try world.undoLast() == refusal(Reason.ChangeUndo.onlyApplications))
        #expect(try world.undo(position) == .success)
        #expect(try world.pendency(.sendOut, with: "B", of: "A") == nil)
        #expect(try world.pendency(.comeIn, with: "A", of: "B") == nil)
        try expectWhole(world)
    }

    // MARK: Blacklists

    @Test func aBlockIsTakenBackWithTheFriendshipThatItEnded() throws {
        let world = try world()
        try befriend(world)
        let before = try rows(world)
        #expect(try world.block("B", by: "A") == .success)
        #expect(try rows(world) == [nil, nil])
        #expect(try world.undoLast() == .success)
        #expect(try rows(world) == before)
        #expect(try !world.blocks("B", by: "A"))
        try expectWhole(world)
    }

    @Test func aBlockComesBackWithItsTime() throws {
        let world = try world()
        #expect(try world.block("B", by: "A") == .success)
        let entry = try #require(try world.rows(of: Tables.blacklist, of: "A").first?.record)
        world.advance(milliseconds: 500)
        #expect(try world.unblock("B", by: "A") == .success)
        #expect(try world.undoLast() == .success)
        #expect(try world.rows(of: Tables.blacklist, of: "A").map(\.record) == [entry])
        try expectWhole(world)
    }

    // MARK: Refusals

    @Test func theFirstReasonThatAppliesIsTheAnswer() throws {
        let world = try world()
        #expect(try world.undo(1) == refusal(Reason.ChangeUndo.notExist))
        try befriend(world)
        #expect(try world.delete("B", from: "A", .both) == .success)
        #expect(try world.add("B", to: "A") == .success)
        #expect(try world.undo(3) == refusal(Reason.ChangeUndo.changedSince))
        #expect(try world.delete("B", from: "A", .both) == .success)
        #expect(try world.block("A", by: "B") == .success)
        #expect(try world.undo(5) == refusal(Reason.ChangeUndo.blocked))
        // An app that keeps both lets them stand beside each other.
        world.settings.keepsFriendshipOnBlacklist = true
        #expect(try world.undo(5) == .success)
        #expect(try Audit(world, Self.users, sharp: false).findings == [])
    }

    @Test func aBlockDoesNotComeBackBesideAFriendship() throws {
        let world = try world()
        #expect(try world.block("B", by: "A") == .success)
        #expect(try world.unblock("B", by: "A") == .success)
        #expect(try world.add("B", to: "A") == .success)
        #expect(try world.undo(2) == refusal(Reason.ChangeUndo.blocked))
        try expectWhole(world)
    }

    @Test func aFollowComesBackOnlyWithinTheLimitsOfFollows() throws {
        let world = try world()
        #expect(try world.follow("A", "B") == .success)
        #expect(try world.follow("B", "A") == .success)
        #expect(try world.follow("C", "B") == .success)
        #expect(try world.follow("B", "C") == .success)
        #expect(try world.unfollow("A", "B") == .success)
        let position = try #require(try world.history().entries.first?.position)
        let limits = world.settings.limits
        world.settings.limits.followings = 0
        #expect(try world.undo(position) == refusal(Reason.ChangeUndo.followingFull))
        world.settings.limits = limits
        world.settings.limits.followers = 1
        #expect(try world.undo(position) == refusal(Reason.ChangeUndo.followersFull))
        world.settings.limits = limits
        world.settings.limits.mutualFollows = 1
        #expect(try world.undo(position) == refusal(Reason.ChangeUndo.mutualFollowsFull))
        world.settings.limits.mutualFollows = 2
        world.settings.limits.followers = 2
        world.settings.limits.followings = 1
        #expect(try world.undo(position) == .success)
        // B follows two users since before the limit was lowered.
        try expectWhole(world, limits: limits)
        // Two that come back at once are asked as if the other were there.
        #expect(try world.block("B", by: "A") == .success)
        let block = try #require(try world.history().entries.first?.position)
        world.settings.limits.mutualFollows = 1
        #expect(try world.undo(block) == refusal(Reason.ChangeUndo.mutualFollowsFull))
        world.settings.limits.mutualFollows = 2
        world.settings.limits.followings = 2
        #expect(try world.undo(block) == .success)
        try expectWhole(world)
    }

    @Test func onlyTheReviewOfATextThatIsReplacedEnds() throws {
        let world = try world()
        world.settings.customFields = [CustomField(.friend, "Met", .string)]
        world.settings.reviewedFields.friends = ["remark", "custom.Met"]
        let met = CustomValue("Met", .data(Array("here".utf8)))
        #expect(try world.add("B", to: "A") == .success)
        #expect(try world.update("B", of: "A") { $0.custom = [met] } == .success)
        #expect(try world.update("B", of: "A") { $0.remark = "pal" } == .success)
        #expect(try world.update("B", of: "A") { $0.starred = true } == .success)
        func fields() throws -> [String] { try world.reviews().rows.map(\.field).sorted() }
        #expect(try fields() == ["custom.Met", "remark"])
        // The star goes; moderators have seen neither text.
        #expect(try world.undoLast() == .success)
        #expect(try fields() == ["custom.Met", "remark"])
        #expect(try world.undo(3) == .success)
        #expect(try world.friend("B", of: "A")?.remark == "")
        #expect(try fields() == ["custom.Met"])
        #expect(try world.undo(2) == .success)
        #expect(try fields() == [])
        try expectWhole(world)
    }

    @Test func listsThatAreFullTakeNothingBack() throws {
        let world = try world()
        #expect(try world.add("B", to: "A") { $0.groups = ["work"] } == .success)
        #expect(try world.delete("B", from: "A", .both) == .success)
        #expect(try world.deleteGroup("work", of: "A") == .success)
        #expect(try world.createGroup("home", of: "A") == .success)
        world.settings.limits.groups = 1
        #expect(
            try world.undo(2) == FriendOutcome(.groupLimit, Reason.ChangeUndo.groupLimit))
        world.settings.limits.friends = 0
        #expect(
            try world.undo(2) == FriendOutcome(.selfFriendFull, Reason.ChangeUndo.friendsFull))
        #expect(try world.block("B", by: "A") == .success)
        #expect(try world.unblock("B", by: "A") == .success)
        world.settings.limits.blacklistedUsers = 0
        #expect(
            try world.undo(6) == FriendOutcome(.blacklistFull, Reason.ChangeUndo.blacklistFull))
    }
}
