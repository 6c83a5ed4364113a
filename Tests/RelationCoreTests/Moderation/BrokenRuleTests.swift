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
    private func expect(_ kind: RungKind, _ explain: () throws -> Told) throws {
        let whole = try explain()
        #expect(whole.deciding == kind)
        let broken = try NotedRungs.$open.withValue(kind) { try explain() }
        #expect(broken.answer != whole.answer, "\(kind)")
        let place = try #require(broken.rungs.firstIndex { $0.kind == kind })
        #expect(!broken.rungs[place].decided && broken.rungs.count > place + 1, "\(kind)")
        #expect(broken.deciding != nil && broken.deciding != kind)
        #expect(try explain().answer == whole.answer, "only while it is broken")
    }

    private func blocked() throws -> World {
        let world = try World("A", "B")
        #expect(try world.block("A", by: "B") == .success)
        return world
    }

    @Test func messages() throws {
        let world = try blocked()
        try expect(.peerBlacklist) {
            try Told(
                world.read { (transaction) throws(StorageError) in
                    try SendRules.explain(
                        from: "A", to: "B", at: world.now, app: world.app, in: transaction)
                })
        }
    }

    @Test(arguments: [false, true])
    func additionsAndFollows(isOwn: Bool) throws {
        let world = try blocked()
        try expect(.peerBlacklist) { try Told(world.explainAdd("B", to: "A", isOwn: isOwn)) }
        try expect(.peerBlacklist) { try Told(world.explainFollow("A", "B", isOwn: isOwn)) }
        try expect(.otherUser) { try Told(world.explainFollow("A", "A", isOwn: isOwn)) }
    }

    @Test func aHookIsNamedBehindABrokenRungToo() throws {
        let world = try blocked()
        var hook = HookRecord()
        (hook.id, hook.asks) = ("hook", [.addFriends])
        world.settings.hooks = [hook]
        #expect(try world.suspend("A", .suspended) == .success)
        let explain = { try Told(world.explainAdd("B", to: "A", isOwn: true)) }
        #expect(try !explain().rungs.contains { $0.kind == .hook })
        try expect(.ownSuspension, explain)
        let broken = try NotedRungs.$open.withValue(.ownSuspension) { try explain() }
        #expect(broken.rungs.first { $0.kind == .hook }?.hookID == "hook")
    }

    @Test func blocks() throws {
        let world = try blocked()
        try expect(.ownBlacklist) { try Told(world.explainBlock("A", by: "B")) }
    }

    @Test func answersToApplications() throws {
        let world = try World("A", "B", "C")
        try world.allow(.needConfirm, for: "A")
        #expect(try world.add("A", to: "B").code == .pending)
        world.settings.limits.friends = 1
        #expect(try world.add("C", to: "A", .single, force: true) == .success)
        try expect(.ownFriendRoom) { try Told(world.explainResponse("B", by: "A")) }
        try expect(.meantApplication) {
            try Told(world.explainResponse("B", by: "A", id: "another"))
        }
    }

    @Test func invitations() throws {
        let world = try World("A", "B")
        #expect(try world.invite(1, of: "A") { $0.preApproved = true } == .success)
        #expect(try world.suspend("A", .suspended) == .success)
        try expect(.inviterSuspension) { try Told(world.explainUse(1, by: "B").explanation) }
    }

    @Test func checks() throws {
        let world = try World("A")
        try expect(.ownAccount) {
            try Told(
                world.read { (transaction) throws(StorageError) in
                    try FriendCheck.explain(
                        "A", of: "ghost", .bidirection, at: world.now, app: world.app,
                        in: transaction)
                })
        }
    }

    /// The nick is seen by all, unless the rung that says so is broken.
    @Test func fieldsOfProfiles() throws {
        let world = try World("A", "B")
        world.settings.defaultVisibility = .friends
        let set = try world.setProfile(of: "A", [.nick], customKeys: []) { $0.nick = "Ann" }
        #expect(set == .done(version: 1, changed: true))
        try expect(.cardField) {
            let explained = try world.read { (transaction) throws(StorageError) in
                try Profiles.explain(
                    [.nick], customFields: [], of: "A", by: "B", at: world.now, app: world.app,
                    in: transaction)
            }
            let field = try #require(explained.fields.first)
            return Told(field.state, field.rungs)
        }
    }

    @Test func events() throws {
        let world = try World("A")
        try expect(.eventKind) {
            let explained = try world.read { (transaction) throws(StorageError) in
                try WatchedEvents.explain(
                    .kind(.userReported), of: "A", to: "A", at: world.now, app: world.app,
                    in: transaction)
            }
            return Told(explained.comes, explained.rungs)
        }
    }

    @Test func changesOfProfiles() throws {
        let world = try World("A")
        #expect(try world.suspend("A", .suspended) == .success)
        try expect(.ownSuspension) {
            try Told(
                world.read { (transaction) throws(StorageError) in
                    try Profiles.explainUpdate(
                        of: "A", isOwn: true, at: world.now, app: world.app, in: transaction)
                })
        }
    }
}
