import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

/// The explanation of Follow: each rung decides in a case of its own.
@Suite struct ExplainFollowTests {
    /// An answer, and the rung that gave it.
    private struct Said: Equatable {
        let code: FollowStatus
        let rungs: [RungKind]

        init(_ code: FollowStatus, _ rungs: RungKind...) {
            (self.code, self.rungs) = (code, rungs)
        }

        init(_ explained: Explanation<FollowOutcome>) {
            code = explained.answer.code
            rungs = explained.rungs.filter(\.decided).map(\.kind)
        }
    }

    @Test func theCallAsAWholeIsAskedForFirst() throws {
        let world = try World("A", "B")
        #expect(try world.suspend("A", .limited) == .success)
        #expect(
            try Said(world.explainFollow("ghost", "B")) == Said(.accountNotFound, .ownAccount))
        let suspended = try world.explainFollow("A", "B")
        #expect(Said(suspended) == Said(.addRestricted, .ownSuspension))
        #expect(suspended.answer.reason == Reason.Suspended.followAddOneself)
        #expect(try world.reinstate("A") == .success)
        #expect(try Said(world.explainFollow("A", nil)) == Said(.invalidParameter, .peerID))
        #expect(try Said(world.explainFollow("A", "A")) == Said(.invalidParameter, .otherUser))
        #expect(
            try Said(world.explainFollow("A", "ghost")) == Said(.accountNotFound, .peerAccount))
        #expect(try world.suspend("B", .suspended) == .success)
        let shielded = try world.explainFollow("A", "B")
        #expect(Said(shielded) == Said(.addRestricted, .peerSuspension))
        #expect(shielded.answer.reason == Reason.Suspended.followAdd)
    }

    @Test func aUserLearnsOfABlockLast() throws {
        let world = try World("A", "B", "C")
        world.settings.limits.followings = 1
        #expect(try world.block("A", by: "B") == .success)
        #expect(try world.block("C", by: "A") == .success)
        #expect(try Said(world.explainFollow("A", "C")) == Said(.inSelfBlacklist, .ownBlacklist))
        let blocked = Said(.inOtherSideBlacklist, .peerBlacklist)
        #expect(try Said(world.explainFollow("A", "B")) == blocked)
        #expect(try Said(world.explainFollow("A", "B", isOwn: true)) == blocked)
        #expect(try world.unblock("C", by: "A") == .success)
        #expect(try world.follow("A", "C") == .success)
        #expect(try Said(world.explainFollow("A", "B")) == blocked)
        #expect(
            try Said(world.explainFollow("A", "B", isOwn: true))
                == Said(.followingFull, .ownFollowingRoom))
    }

    @Test func theBoundsAreReportedAndNothingIsWritten() throws {
        let users: [UserID] = ["A", "B", "C", "D"]
        let world = try World("A", "B", "C", "D")
        world.settings.limits.followings = 2
        world.settings.limits.followers = 2
        world.settings.limits.mutualFollows = 1
        for (one, other) in [("A", "B"), ("B", "A"), ("C", "A"), ("A", "D")] as [(UserID, UserID)] {
            #expect(try Said(world.explainFollow(one, other)) == Said(.success, .write))
            #expect(try world.follow(one, other) == .success)
        }
        let before = try world.snapshot(of: users)
        #expect(try Said(world.explainFollow("A", "B")) == Said(.success, .missingFollow))
        let full = try world.explainFollow("A", "C")
        #expect(Said(full) == Said(.followingFull, .ownFollowingRoom))
        let room = try #require(full.rungs.last)
        #expect(room.bound?.count == 2 && room.bound?.limit == 2)
        #expect(room.setting?.name == "limits.followings" && room.rows.map(\.owner) == ["A"])
        #expect(try Said(world.explainFollow("D", "A")) == Said(.followersFull, .peerFollowerRoom))
        #expect(try world.snapshot(of: users) == before)

        world.settings.limits.followings = 3
        world.settings.limits.followers = 3
        let mine = try world.explainFollow("A", "C")
        #expect(Said(mine) == Said(.selfMutualFull, .ownMutualRoom))
        let rows = try #require(mine.rungs.last).rows
        #expect(rows.map(\.owner) == ["C", "A"] && rows.map(\.other) == ["A", nil])
        #expect(
            try Said(world.explainFollow("D", "A")) == Said(.theirMutualFull, .peerMutualRoom))
        #expect(try world.snapshot(of: users) == before)
    }

    @Test func aHookIsNamedAndNotAsked() throws {
        let world = try World("A", "B")
        var hook = HookRecord()
        (hook.id, hook.asks) = ("hook", [.follow])
        world.settings.hooks = [hook]
        let explained = try world.explainFollow("A", "B")
        #expect(explained.rungs.first { $0.kind == .hook }?.hookID == "hook")
        #expect(Said(explained) == Said(.success, .write))
    }
}
