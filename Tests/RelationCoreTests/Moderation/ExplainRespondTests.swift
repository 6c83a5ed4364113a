import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

/// The explanation of RespondToApplications: each rung decides in a case of its own.
@Suite struct ExplainRespondTests {
    private func decides(
        _ rung: RungKind, _ code: FriendStatus, _ explained: Explanation<FriendOutcome>
    ) -> Bool {
        explained.answer.code == code && explained.rungs.filter(\.decided).map(\.kind) == [rung]
            && explained.rungs.last?.kind == rung
    }

    /// B waits for the answer of A.
    private func world() throws -> World {
        let world = try World("A", "B", "C")
        try world.allow(.needConfirm, for: "A")
        let added = try world.add("A", to: "B")
        #expect(added == Outcome(.pending, Reason.FriendAdd.needConfirm, changed: true))
        return world
    }

    @Test func eachRungDecidesInACaseOfItsOwn() throws {
        let world = try world()
        #expect(try world.suspend("A", .suspended) == .success)
        #expect(
            try decides(.ownAccount, .accountNotFound, world.explainResponse("B", by: "ghost")))
        let suspended = try world.explainResponse("B", by: "A", isOwn: true)
        #expect(decides(.ownSuspension, .addRestricted, suspended))
        #expect(suspended.answer.reason == Reason.Suspended.friendResponseOneself)
        #expect(try world.reinstate("A") == .success)
        #expect(try decides(.peerID, .invalidParameter, world.explainResponse(nil, by: "A")))
        #expect(
            try decides(.peerAccount, .accountNotFound, world.explainResponse("ghost", by: "A")))
        let none = try world.explainResponse("C", by: "A")
        #expect(decides(.waitingApplication, .noApplication, none))
        #expect(none.rungs.last?.rows.map(\.isPresent) == [false])
        let other = try world.explainResponse("B", by: "A", id: "another")
        #expect(decides(.meantApplication, .noApplication, other))
        #expect(other.answer.reason == Reason.FriendResponse.applicationChanged)
        #expect(other.rungs.last?.rows.map(\.isPresent) == [true])
    }

    @Test func theRoomOfTheListsThatGetARowIsAsked() throws {
        let world = try world()
        world.settings.limits.friends = 1
        #expect(try world.add("C", to: "A", .single, force: true) == .success)
        let full = try world.explainResponse("B", by: "A")
        #expect(decides(.ownFriendRoom, .selfFriendFull, full))
        #expect(full.rungs.last?.bound?.count == 1 && full.rungs.last?.bound?.limit == 1)
        // To agree makes no row of the caller.
        #expect(try decides(.write, .success, world.explainResponse("B", by: "A", .agree)))
        #expect(try world.add("C", to: "B", .single, force: true) == .success)
        let theirs = try world.explainResponse("B", by: "A", .agree)
        #expect(decides(.peerFriendRoom, .theirFriendFull, theirs))
        #expect(theirs.rungs.last?.rows.map(\.owner) == ["B"])
        let refused = try world.explainResponse("B", by: "A", .reject)
        #expect(decides(.write, .success, refused))
        #expect(!refused.rungs.contains { $0.kind == .missingRow })
    }

    @Test func nothingIsWritten() throws {
        let world = try world()
        let before = try world.snapshot(of: ["A", "B"])
        for type in [FriendResponseType.agree, .agreeAndAdd, .reject] {
            #expect(try decides(.write, .success, world.explainResponse("B", by: "A", type)))
        }
        #expect(try world.snapshot(of: ["A", "B"]) == before)
    }

    @Test func aHookIsNamedAndNotAsked() throws {
        let world = try world()
        var hook = HookRecord()
        (hook.id, hook.asks) = ("hook", [.respondToApplications])
        world.settings.hooks = [hook]
        let explained = try world.explainResponse("B", by: "A")
        #expect(explained.rungs.first { $0.kind == .hook }?.hookID == "hook")
        #expect(decides(.write, .success, explained))
    }
}
