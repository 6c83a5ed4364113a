import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

/// The explanation of AddToBlacklist: each rung decides in a case of its own.
@Suite struct ExplainBlockTests {
    private func decides(
        _ rung: RungKind, _ code: FriendStatus, _ explained: Explanation<FriendOutcome>
    ) -> Bool {
        explained.answer.code == code && explained.rungs.filter(\.decided).map(\.kind) == [rung]
            && explained.rungs.last?.kind == rung
    }

    @Test func eachRungDecidesInACaseOfItsOwn() throws {
        let world = try World("A", "B", "C")
        world.settings.limits.blacklistedUsers = 1
        #expect(try world.suspend("A", .suspended) == .success)
        #expect(
            try decides(.ownAccount, .accountNotFound, world.explainBlock("B", by: "ghost")))
        let suspended = try world.explainBlock("B", by: "A", isOwn: true)
        #expect(decides(.ownSuspension, .addRestricted, suspended))
        #expect(suspended.answer.reason == Reason.Suspended.blacklistAddOneself)
        // An administrator blocks in the user's name.
        #expect(try decides(.write, .success, world.explainBlock("B", by: "A")))
        #expect(try decides(.peerID, .invalidParameter, world.explainBlock(nil, by: "A")))
        #expect(try decides(.otherUser, .invalidParameter, world.explainBlock("A", by: "A")))
        #expect(try decides(.peerAccount, .accountNotFound, world.explainBlock("ghost", by: "A")))
        let before = try world.snapshot(of: ["A", "B"])
        #expect(try decides(.write, .success, world.explainBlock("B", by: "A")))
        #expect(try world.snapshot(of: ["A", "B"]) == before)

        #expect(try world.block("B", by: "A") == .success)
        let known = try world.explainBlock("B", by: "A")
        #expect(decides(.ownBlacklist, .alreadyInBlacklist, known))
        #expect(known.rungs.last?.rows.map(\.isPresent) == [true])
        let full = try world.explainBlock("C", by: "A")
        #expect(decides(.ownBlacklistRoom, .blacklistFull, full))
        let room = try #require(full.rungs.last)
        #expect(room.bound?.count == 1 && room.bound?.limit == 1)
        #expect(room.setting?.name == "limits.blacklisted_users")
        #expect(room.rows.map(\.owner) == ["A"])
    }

    @Test func aHookIsNamedAndNotAsked() throws {
        let world = try World("A", "B")
        var hook = HookRecord()
        (hook.id, hook.asks) = ("hook", [.addToBlacklist])
        world.settings.hooks = [hook]
        let explained = try world.explainBlock("B", by: "A")
        #expect(explained.rungs.first { $0.kind == .hook }?.hookID == "hook")
        #expect(decides(.write, .success, explained))
    }
}
