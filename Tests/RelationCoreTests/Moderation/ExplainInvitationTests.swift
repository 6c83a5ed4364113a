import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

/// The explanation of AcceptInvitation: its own rungs, and those of an addition after them.
@Suite struct ExplainInvitationTests {
    private func decides(
        _ rung: RungKind, _ code: FriendStatus, _ use: Invitations.ExplainedUse
    ) -> Bool {
        let explained = use.explanation
        return explained.answer.code == code
            && explained.rungs.filter(\.decided).map(\.kind) == [rung]
            && explained.rungs.last?.kind == rung
    }

    @Test func eachRungOfItsOwnDecidesInACaseOfItsOwn() throws {
        let world = try World("A", "B", "C")
        #expect(try decides(.ownAccount, .accountNotFound, world.explainUse(1, by: "ghost")))
        #expect(try decides(.invitation, .invalidParameter, world.explainUse(1, by: "B")))
        #expect(try world.invite(1, of: "A") { $0.preApproved = true } == .success)
        let good = try world.explainUse(1, by: "B")
        #expect(decides(.write, .success, good) && good.inviter == "A")
        let row = try #require(good.explanation.rungs.first { $0.kind == .invitation })
        #expect(row.rows.map(\.owner) == ["A"] && row.rows.map(\.isPresent) == [true])
        #expect(row.rows.map(\.endTimeMs) == [world.now.milliseconds + 3_600_000])
        #expect(try world.suspend("B", .limited) == .success)
        let suspended = try world.explainUse(1, by: "B", isOwn: true)
        #expect(decides(.ownSuspension, .addRestricted, suspended))
        #expect(suspended.explanation.answer.reason == Reason.Suspended.invitationUser)
        #expect(try world.reinstate("B") == .success)
        #expect(try world.suspend("A", .suspended) == .success)
        #expect(try decides(.inviterSuspension, .addRestricted, world.explainUse(1, by: "B")))
        #expect(try world.reinstate("A") == .success)

        #expect(try world.accept(1, by: "B") == .success)
        let full = try world.explainUse(1, by: "C")
        #expect(decides(.invitationUses, .invalidParameter, full) && full.inviter == nil)
        #expect(full.explanation.rungs.last?.bound?.count == 1)
        #expect(full.explanation.rungs.last?.bound?.limit == 1)
        // A user that has used it may try again: the addition says that they are friends.
        #expect(try decides(.missingRow, .invalidParameter, world.explainUse(1, by: "B")))
        world.advance(milliseconds: 3_600_000)
        #expect(try decides(.invitationTime, .invalidParameter, world.explainUse(1, by: "B")))
    }

    @Test func aUseIsExplainedAndNotTaken() throws {
        let world = try World("A", "B")
        try world.allow(.denyAny, for: "A")
        #expect(try world.invite(1, of: "A", uses: 2) { $0.preApproved = true } == .success)
        #expect(try world.invite(2, of: "A") == .success)
        let before = try world.snapshot(of: ["A", "B"])
        #expect(try decides(.write, .success, world.explainUse(1, by: "B")))
        #expect(try decides(.peerAllowType, .friendSideForbidsAdd, world.explainUse(2, by: "B")))
        #expect(try world.snapshot(of: ["A", "B"]) == before)
        #expect(try world.invitations(of: "A").allSatisfy { $0.useCount == 0 })
    }

    @Test func aUserLearnsOfABlockLast() throws {
        let world = try World("A", "B")
        #expect(try world.invite(1, of: "A") { $0.preApproved = true } == .success)
        #expect(try world.block("B", by: "A").isAcceptable)
        let answered = try world.explainUse(1, by: "B")
        #expect(decides(.peerBlacklist, .inOtherSideBlacklist, answered))
        let own = try world.explainUse(1, by: "B", isOwn: true)
        #expect(decides(.peerBlacklist, .inOtherSideBlacklist, own))
        #expect(own.explanation.rungs.count > answered.explanation.rungs.count)
    }
}
