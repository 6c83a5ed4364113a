import Memory
import Protobuf
import RelationModel
import RelationSuite
import Storage
import Testing

@testable import RelationCore

/// A rule decides by the rungs that it notes: if one of them lets everything through, the answer
/// and the later rungs are others.
///
/// So an explanation, which notes the rungs of the same rule, cannot tell anything else than what
/// the rule does.
@Suite struct BrokenRuleTests {
    /// Expects that the rung decides, and that the rule goes on behind it to another answer if it
    /// is broken.
    ///
    /// - Parameter run: Runs the rule, and returns its answer.
    private func expect<Answer: Equatable>(
        _ kind: RungKind, _ run: (inout BrokenRungs) throws -> Answer
    ) throws {
        var whole = BrokenRungs(breaking: nil)
        let answer = try run(&whole)
        #expect(whole.deciding == kind)
        var broken = BrokenRungs(breaking: kind)
        #expect(try run(&broken) != answer, "\(kind)")
        let index = try #require(broken.kinds.firstIndex(of: kind))
        #expect(broken.kinds.count > index + 1, "\(kind)")
        #expect(broken.deciding != nil && broken.deciding != kind)
    }

    /// Runs a rule as an explanation does: in a ledger that forgets what is written.
    private func unwritten<Answer>(
        _ world: World, by caller: UserID, isOwn: Bool = true,
        _ rule: (Ledger) throws(StorageError) -> Answer
    ) throws(StorageError) -> Answer {
        try world.read { (transaction) throws(StorageError) in
            let rows = try RungRows(
                of: caller, and: nil, at: world.now, app: world.app, in: transaction)
            let ledger = rows.ledger
            if isOwn { ledger.blocks = .last }
            return try rule(ledger)
        }
    }

    private func blocked() throws -> World {
        let world = try World("A", "B")
        #expect(try world.block("A", by: "B") == .success)
        return world
    }

    @Test func messages() throws {
        let world = try blocked()
        try expect(.peerBlacklist) { ladder in
            try world.read { (transaction) throws(StorageError) in
                var answers: [SendRules.Answer] = []
                _ = try SendRules.check(
                    from: "A", to: ["B"], at: world.now, app: world.app, reveals: true,
                    noting: &ladder, in: transaction
                ) { answers.append($0) }
                return answers
            }
        }
    }

    @Test(arguments: [false, true])
    func additionsAndFollows(isOwn: Bool) throws {
        let world = try blocked()
        try expect(.peerBlacklist) { ladder in
            try unwritten(world, by: "A", isOwn: isOwn) { (ledger) throws(StorageError) in
                try FriendRules.add(
                    FriendItem(user: "B"), to: "A", .both, force: false, noting: &ladder,
                    in: ledger)
            }
        }
        for (user, kind) in [("B" as UserID, RungKind.peerBlacklist), ("A", .otherUser)] {
            try expect(kind) { ladder in
                try unwritten(world, by: "A", isOwn: isOwn) { (ledger) throws(StorageError) in
                    try FollowRules.follow("A", user, noting: &ladder, in: ledger)
                }
            }
        }
    }

    /// A hook is named only after the suspension lets the caller through.
    @Test func suspensionsOfTheCaller() throws {
        let world = try blocked()
        #expect(try world.suspend("A", .suspended) == .success)
        let kinds: [RungKind?] = [nil, .ownSuspension]
        let notes = try kinds.map { kind in
            var ladder = BrokenRungs(breaking: kind)
            let admission = try unwritten(world, by: "A") { (ledger) throws(StorageError) in
                try ladder.admits(
                    "A", to: .reach, "B", isAdmin: false, asking: true, in: ledger)
            }
            return ("\(admission)", ladder)
        }
        #expect(notes[0].0 == "isSuspended")
        #expect(notes[0].1.deciding == .ownSuspension)
        #expect(!notes[0].1.kinds.contains(.hook))
        #expect(notes[1].0.hasPrefix("goesOn"))
        #expect(notes[1].1.deciding == nil)
        #expect(notes[1].1.kinds.contains(.hook))
    }

    @Test func blocks() throws {
        let world = try blocked()
        try expect(.ownBlacklist) { ladder in
            try unwritten(world, by: "B") { (ledger) throws(StorageError) in
                try Blacklist.add("A", to: "B", noting: &ladder, in: ledger)
            }
        }
    }

    @Test func answersToApplications() throws {
        let world = try World("A", "B", "C")
        try world.allow(.needConfirm, for: "A")
        #expect(try world.add("A", to: "B").code == .pending)
        world.settings.limits.friends = 1
        #expect(try world.add("C", to: "A", .single, force: true) == .success)
        for (id, kind) in [("", RungKind.ownFriendRoom), ("another", .meantApplication)] {
            try expect(kind) { ladder in
                try unwritten(world, by: "A", isOwn: false) { (ledger) throws(StorageError) in
                    var answer = ApplicationRules.Answer(to: "B", .agreeAndAdd)
                    answer.applicationID = id
                    return try ApplicationRules.respond(
                        answer, of: "A", noting: &ladder, in: ledger)
                }
            }
        }
    }

    @Test func invitations() throws {
        let world = try World("A", "B")
        #expect(try world.invite(1, of: "A") { $0.preApproved = true } == .success)
        #expect(try world.suspend("A", .suspended) == .success)
        try expect(.inviterSuspension) { ladder in
            try unwritten(world, by: "B", isOwn: false) { (ledger) throws(StorageError) in
                try Invitations.accept(
                    .init(World.invitation(1), FriendValues()), by: "B", noting: &ladder,
                    in: ledger
                ) { _ in }
            }
        }
    }

    @Test func checks() throws {
        let world = try World("A")
        try expect(.ownAccount) { ladder in
            try world.read { (transaction) throws(StorageError) in
                let bytes = Array("A".utf8)
                guard let copy = bytes.withUnsafeBytes({ transaction.arena.copy($0) }) else {
                    throw .callIsFull
                }
                let names = [Text(borrowing: copy)]
                return try names.withUnsafeBufferPointer { (names) throws(StorageError) in
                    try FriendCheck.run(
                        names, of: "ghost", .bidirection, app: world.app, noting: &ladder,
                        in: transaction, transaction.arena
                    ).map(Array.init)
                }
            }
        }
    }

    /// The nick is seen by all, unless the rung that says so is broken.
    @Test func fieldsOfProfiles() throws {
        let world = try World("A", "B")
        world.settings.defaultVisibility = .friends
        let set = try world.setProfile(of: "A", [.nick], customKeys: []) { $0.nick = "Ann" }
        #expect(set == .done(version: 1, changed: true))
        let seen = try world.read { (transaction) throws(StorageError) in
            try Profiles.visible(
                ["A"], by: "B", isAdmin: false, app: world.app, in: transaction)
        }
        let view = try #require(seen.first ?? nil).view
        try expect(.cardField) { ladder in view.isVisible(.nick, noting: &ladder) }
    }

    @Test func events() {
        for kind in [RungKind?.none, .eventKind] {
            var ladder = BrokenRungs(breaking: kind)
            let reaches = WatchedEvents.reachOwner(
                .userReported, followedWithOthers: false, noting: &ladder)
            #expect(reaches == (kind != nil))
            #expect(ladder.kinds == [.eventKind])
        }
    }
}
