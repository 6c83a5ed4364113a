import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

/// The users to which a user may send: every line of the table, with and without the app's check of
/// friendship.
@Suite struct SendRuleTests {
    private func answer(
        to receiver: UserID, in world: World
    ) throws -> (code: Int32, reason: Reason) {
        let answers = try world.read { (transaction) throws(StorageError) in
            try SendRules.check(
                from: "A", to: [receiver], at: world.now, app: world.app, in: transaction)
        }
        #expect(answers.count == 1)
        return (answers[0].code.rawValue, answers[0].reason)
    }

    private static let rows: [(mine: Bool, theirs: Bool, code: Int32, Reason)] = [
        (false, false, 20009, Reason.SendCheck.notFriend),
        (true, false, 20010, Reason.SendCheck.notPeerFriend),
        (false, true, 20011, Reason.SendCheck.notSelfFriend),
        (true, true, 0, .none),
    ]

    @Test(arguments: [false, true], rows)
    func whoMaySendFollowsFromBothLists(
        _ checks: Bool, _ row: (mine: Bool, theirs: Bool, code: Int32, reason: Reason)
    ) throws {
        let world = try World("A", "B")
        world.settings.checksFriendshipOnSend = checks
        world.settings.keepsFriendshipOnBlacklist = true
        if row.mine { #expect(try world.add("B", to: "A", .single) == .success) }
        if row.theirs { #expect(try world.add("A", to: "B", .single) == .success) }
        let wanted = checks ? (row.code, row.reason) : (0, .none)
        #expect(try answer(to: "B", in: world) == wanted)
        // The sender may still write to a user that it has blacklisted.
        #expect(try world.block("B", by: "A") == .success)
        #expect(try answer(to: "B", in: world) == wanted)
        // The receiver's blacklist is checked before any friendship.
        #expect(try world.block("A", by: "B") == .success)
        #expect(try answer(to: "B", in: world) == (20007, Reason.SendCheck.inPeerBlacklist))
        #expect(try world.unblock("A", by: "B") == .success)
        #expect(try answer(to: "B", in: world) == wanted)
    }

    @Test(arguments: [false, true])
    func everyUserMaySendToItselfAndNoneToAnUnknownUser(_ checks: Bool) throws {
        let world = try World("A")
        world.settings.checksFriendshipOnSend = checks
        #expect(try answer(to: "A", in: world) == (0, .none))
        #expect(try answer(to: "ghost", in: world) == (30003, Reason.SendCheck.accountNotExist))
        world.settings.makesAccountsImplicitly = true
        #expect(try answer(to: "ghost", in: world).code == (checks ? 20009 : 0))
        #expect(try world.userRecord(of: "ghost") == nil)
    }

    @Test func blockingEndsTheFriendshipThatTheCheckAsksFor() throws {
        let world = try World("A", "B")
        world.settings.checksFriendshipOnSend = true
        #expect(try world.add("B", to: "A") == .success)
        #expect(try world.block("B", by: "A") == .success)
        #expect(try answer(to: "B", in: world).code == 20009)
    }
}
