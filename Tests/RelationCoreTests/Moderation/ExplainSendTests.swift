import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

/// The explanation of CanSend is what the rule did: each rung decides in a case of its own, and the
/// answer is always that of the rule without a recorder.
@Suite struct ExplainSendTests {
    private typealias Explained = Explanation<SendRules.Answer>

    private func explain(
        _ world: World, from sender: UserID = "A", to receiver: UserID? = "B"
    ) throws -> Explained {
        try world.read { (transaction) throws(StorageError) in
            try SendRules.explain(
                from: sender, to: receiver, at: world.now, app: world.app, in: transaction)
        }
    }

    private func kinds(_ explained: Explained) -> [RungKind] { explained.rungs.map(\.kind) }

    private func deciding(_ explained: Explained) -> [RungKind] {
        explained.rungs.filter(\.decided).map(\.kind)
    }

    private static let ladder: [RungKind] = [
        .ownAccount, .peerID, .ownSuspension, .peerAccount, .peerBlacklist, .friendshipRequired,
        .friendship,
    ]

    /// A world in which the rung decides and, so that the order shows, every later one would.
    private func world(decidedBy rung: RungKind) throws -> World {
        let world = try World("A", "B")
        world.settings.checksFriendshipOnSend = rung != .friendshipRequired
        world.settings.keepsFriendshipOnBlacklist = true
        let order = try #require(Self.ladder.firstIndex(of: rung))
        func comes(_ later: RungKind) -> Bool {
            Self.ladder.firstIndex(of: later).map { $0 >= order } ?? false
        }
        if rung == .friendship || rung == .friendshipRequired {
            #expect(try world.add("A", to: "B", .single) == .success)
        }
        if comes(.peerBlacklist) {
            #expect(try world.block("A", by: "B") == .success)
        }
        if rung == .ownSuspension || rung == .peerID {
            #expect(try world.suspend("A", .suspended) == .success)
        }
        return world
    }

    @Test(arguments: ladder)
    func eachRungDecidesInACaseOfItsOwn(_ rung: RungKind) throws {
        let world = try world(decidedBy: rung)
        let explained: Explained
        switch rung {
        case .ownAccount: explained = try explain(world, from: "ghost")
        case .peerID: explained = try explain(world, to: nil)
        case .ownSuspension, .peerAccount: explained = try explain(world, to: "ghost")
        default: explained = try explain(world)
        }
        let order = try #require(Self.ladder.firstIndex(of: rung))
        let passed = Array(Self.ladder.prefix(through: order))
        let revealed: [RungKind] = rung == .friendshipRequired ? [.peerMarks] : []
        #expect(kinds(explained) == passed + revealed)
        #expect(deciding(explained) == [rung])
        let answers: [RungKind: SendRules.Answer] = [
            .ownAccount: .noAccount, .peerID: .malformed, .ownSuspension: .isSuspended,
            .peerAccount: .noAccount, .peerBlacklist: .blacklisted, .friendshipRequired: .allowed,
            .friendship: .peerIsNoFriend,
        ]
        #expect(explained.answer == answers[rung])
    }

    /// Every state of a pair: the rule with a recorder answers as without one, and the rows that
    /// are shown are those of the store.
    @Test(arguments: 0..<64)
    func anExplanationHasTheAnswerOfTheRule(_ bits: Int) throws {
        func has(_ bit: Int) -> Bool { bits & (1 << bit) != 0 }
        let world = try World("A", "B")
        world.settings.checksFriendshipOnSend = has(0)
        world.settings.keepsFriendshipOnBlacklist = true
        if has(1) { #expect(try world.add("B", to: "A", .single) == .success) }
        if has(2) {
            #expect(try world.add("A", to: "B", .single) == .success)
            if has(3) {
                #expect(try world.update("A", of: "B") { $0.muteUntilMs = Int64.max } == .success)
            }
        }
        if has(4) { #expect(try world.block("A", by: "B") == .success) }
        if has(5) { #expect(try world.block("B", by: "A") == .success) }
        let explained = try explain(world)
        let answers = try world.read { (transaction) throws(StorageError) in
            try SendRules.check(
                from: "A", to: ["B"], at: world.now, app: world.app, in: transaction)
        }
        #expect([explained.answer] == answers)
        #expect(deciding(explained).count == 1)
        for rung in explained.rungs {
            switch rung.kind {
            case .peerBlacklist:
                #expect(rung.rows.map(\.isPresent) == [has(4)] && rung.decided == has(4))
            case .friendshipRequired:
                #expect(rung.setting?.isOn == has(0) && rung.decided == !has(0))
            case .friendship: #expect(rung.rows.map(\.isPresent) == [has(1), has(2)])
            case .peerMarks:
                #expect(rung.rows.map(\.isPresent) == [has(2)])
                #expect(rung.rows.map(\.endTimeMs) == [has(2) && has(3) ? .max : 0])
            default: #expect(!rung.decided)
            }
        }
    }

    @Test func aRowTellsItsVersionAndItsTime() throws {
        let world = try World("A", "B")
        world.settings.checksFriendshipOnSend = true
        #expect(try world.add("B", to: "A", .single) == .success)
        let row = try #require(try world.friend("B", of: "A"))
        let none = try #require(try world.userRecord(of: "B")).friendsSequence
        let friendship = try #require(try explain(world).rungs.last)
        #expect(friendship.kind == .friendship)
        #expect(friendship.rows.map(\.sequence) == [row.sequence, none])
        #expect(friendship.rows.map(\.addTimeMs) == [row.addTimeMs, 0])
        #expect(friendship.rows.map(\.owner) == ["A", "B"])
        #expect(friendship.rows.map(\.other) == ["B", "A"])

        #expect(try world.block("A", by: "B") == .success)
        let record = try #require(try world.userRecord(of: "B"))
        let block = try #require(try explain(world).rungs.last?.rows.first)
        #expect(block.sequence == record.blacklistSequence && block.addTimeMs == World.start)

        let end = world.now.milliseconds + 1_000
        #expect(try world.suspend("A", .banned, until: end) == .success)
        let suspension = try #require(try explain(world).rungs.last?.rows.first)
        #expect(suspension.isPresent && suspension.endTimeMs == end)
        // The row is still there when the suspension is over, and decides nothing any more.
        world.advance(milliseconds: 1_000)
        #expect(try deciding(explain(world)) == [.peerBlacklist])
    }

    @Test func aUserMaySendToItselfAndToOneThatMayComeToBe() throws {
        let world = try World("A")
        world.settings.checksFriendshipOnSend = true
        #expect(try deciding(explain(world, to: "A")) == [.friendshipRequired])
        world.settings.makesAccountsImplicitly = true
        let explained = try explain(world, to: "ghost")
        let account = try #require(explained.rungs.first { $0.kind == .peerAccount })
        #expect(account.setting?.isOn == true && !account.decided)
        #expect(account.rows.map(\.isPresent) == [false])
    }
}
