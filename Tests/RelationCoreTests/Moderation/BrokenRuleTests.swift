import RelationModel
import RelationSuite
import Storage
import Testing

@testable import RelationCore

/// An explanation is made by the rule itself: if a rung of the rule lets everything through, the
/// answer and the rungs that are told are others.
@Suite struct BrokenRuleTests {
    /// An explanation, with its answer in words.
    private struct Told {
        let answer: String
        let rungs: [ExplainedRung]

        init(_ answer: some Any, _ rungs: [ExplainedRung]) {
            (self.answer, self.rungs) = ("\(answer)", rungs)
        }

        init<Answer>(_ explanation: Explanation<Answer>) {
            self.init(explanation.answer, explanation.rungs)
        }

        var deciding: RungKind? { rungs.first { $0.decided }?.kind }
    }

    /// Expects that the rung decides, and that the rule goes on behind it to another answer if it
    /// is broken.
    ///
    /// - Parameter explain: Explains with a broken rung, or with none.
    private func expect(_ kind: RungKind, _ explain: (RungKind?) throws -> Told) throws {
        let whole = try explain(nil)
        #expect(whole.deciding == kind)
        let broken = try explain(kind)
        #expect(broken.answer != whole.answer, "\(kind)")
        let place = try #require(broken.rungs.firstIndex { $0.kind == kind })
        #expect(!broken.rungs[place].decided && broken.rungs.count > place + 1, "\(kind)")
        #expect(broken.deciding != nil && broken.deciding != kind)
        #expect(try explain(nil).answer == whole.answer, "only while it is broken")
    }

    private func blocked() throws -> World {
        let world = try World("A", "B")
        #expect(try world.block("A", by: "B") == .success)
        return world
    }

    @Test func messages() throws {
        let world = try blocked()
        try expect(.peerBlacklist) { rung in
            try Told(
                world.read { (transaction) throws(StorageError) in
                    try SendRules.explain(
                        from: "A", to: "B", at: world.now, app: world.app, in: transaction,
                        breaking: rung)
                })
        }
    }

    @Test(arguments: [false, true])
    func additionsAndFollows(isOwn: Bool) throws {
        let world = try blocked()
        try expect(.peerBlacklist) { rung in
            try Told(world.explainAdd("B", to: "A", isOwn: isOwn, breaking: rung))
        }
        try expect(.peerBlacklist) { rung in
            try Told(world.explainFollow("A", "B", isOwn: isOwn, breaking: rung))
        }
        try expect(.otherUser) { rung in
            try Told(world.explainFollow("A", "A", isOwn: isOwn, breaking: rung))
        }
    }

    @Test func aHookIsNamedBehindABrokenRungToo() throws {
        let world = try blocked()
        var hook = HookRecord()
        (hook.id, hook.asks) = ("hook", [.addFriends])
        world.settings.hooks = [hook]
        #expect(try world.suspend("A", .suspended) == .success)
        let explain = { (rung: RungKind?) in
            try Told(world.explainAdd("B", to: "A", isOwn: true, breaking: rung))
        }
        #expect(try !explain(nil).rungs.contains { $0.kind == .hook })
        try expect(.ownSuspension, explain)
        let broken = try explain(.ownSuspension)
        #expect(broken.rungs.first { $0.kind == .hook }?.hookID == "hook")
    }

    @Test func blocks() throws {
        let world = try blocked()
        try expect(.ownBlacklist) { rung in
            try Told(world.explainBlock("A", by: "B", breaking: rung))
        }
    }

    @Test func answersToApplications() throws {
        let world = try World("A", "B", "C")
        try world.allow(.needConfirm, for: "A")
        #expect(try world.add("A", to: "B").code == .pending)
        world.settings.limits.friends = 1
        #expect(try world.add("C", to: "A", .single, force: true) == .success)
        try expect(.ownFriendRoom) { rung in
            try Told(world.explainResponse("B", by: "A", breaking: rung))
        }
        try expect(.meantApplication) { rung in
            try Told(world.explainResponse("B", by: "A", id: "another", breaking: rung))
        }
    }

    @Test func invitations() throws {
        let world = try World("A", "B")
        #expect(try world.invite(1, of: "A") { $0.preApproved = true } == .success)
        #expect(try world.suspend("A", .suspended) == .success)
        try expect(.inviterSuspension) { rung in
            try Told(world.explainUse(1, by: "B", breaking: rung).explanation)
        }
    }

    @Test func checks() throws {
        let world = try World("A")
        try expect(.ownAccount) { rung in
            try Told(
                world.read { (transaction) throws(StorageError) in
                    try FriendCheck.explain(
                        "A", of: "ghost", .bidirection, at: world.now, app: world.app,
                        in: transaction, breaking: rung)
                })
        }
    }

    /// The nick is seen by all, unless the rung that says so is broken.
    @Test func fieldsOfProfiles() throws {
        let world = try World("A", "B")
        world.settings.defaultVisibility = .friends
        let set = try world.setProfile(of: "A", [.nick], customKeys: []) { $0.nick = "Ann" }
        #expect(set == .done(version: 1, changed: true))
        try expect(.cardField) { rung in
            let explained = try world.read { (transaction) throws(StorageError) in
                try Profiles.explain(
                    [.nick], customFields: [], of: "A", by: "B", at: world.now, app: world.app,
                    in: transaction, breaking: rung)
            }
            let field = try #require(explained.fields.first)
            return Told(field.state, field.rungs)
        }
    }

    @Test func events() throws {
        let world = try World("A")
        try expect(.eventKind) { rung in
            let explained = try world.read { (transaction) throws(StorageError) in
                try WatchedEvents.explain(
                    .kind(.userReported), of: "A", to: "A", at: world.now, app: world.app,
                    in: transaction, breaking: rung)
            }
            return Told(explained.comes, explained.rungs)
        }
    }

    @Test func changesOfProfiles() throws {
        let world = try World("A")
        #expect(try world.suspend("A", .suspended) == .success)
        try expect(.ownSuspension) { rung in
            try Told(
                world.read { (transaction) throws(StorageError) in
                    try Profiles.explainUpdate(
                        of: "A", isOwn: true, at: world.now, app: world.app, in: transaction,
                        breaking: rung)
                })
        }
    }
}
