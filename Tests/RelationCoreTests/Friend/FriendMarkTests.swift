import Memory
import Protobuf
import RelationModel
import RelationSuite
import Storage
import Testing

@testable import RelationCore

/// Stars, pins, mutes and ignored friends: the rows, the lists that they select, and what a message
/// server gets.
@Suite struct FriendMarkTests {
    private static let users: [UserID] = ["A", "B", "C", "D", "E"]

    /// A has B to E as friends, and B and C have A.
    private func world() throws -> World {
        let world = try World("A", "B", "C", "D", "E")
        for friend in ["B", "C"] as [UserID] {
            #expect(try world.importFriend(friend, of: "A", bothWays: true) == .success)
        }
        for friend in ["D", "E"] as [UserID] {
            #expect(try world.importFriend(friend, of: "A") == .success)
        }
        return world
    }

    private func mentions(of user: UserID, in world: World) throws -> [UserID] {
        try world.rows(of: Tables.mentions, of: user).map(\.key).filter { $0.list == .muting }
            .map(\.owner)
    }

    // MARK: Rows

    @Test func aMarkIsWrittenOnceAndReturnedWithTheRow() throws {
        let world = try world()
        let before = try #require(try world.userRecord(of: "A")).sequence
        let mark: (inout FriendValues) -> Void = {
            $0.starred = true
            $0.pinOrder = 2
            $0.muteUntilMs = world.now.milliseconds + 1
            $0.ignored = true
        }
        #expect(try world.update("B", of: "A", mark) == .success)
        #expect(try !world.update("B", of: "A", mark).changed)
        let row = try #require(try world.friend("B", of: "A"))
        #expect(row.starred && row.pinOrder == 2 && row.ignored)
        #expect(row.isMuted(at: world.now))
        #expect(!row.isMuted(at: world.now.advanced(byMilliseconds: 1)))
        let events = try world.events(of: "A", after: before)
        #expect(events.map(\.kind) == [.friendChange])
        #expect(events.first?.items.map(\.friendEntry) == [row])
        #expect(try world.events(of: "B", after: 0).map(\.kind).contains(.friendChange) == false)
        #expect(try world.friend("A", of: "B")?.starred == false, "the other row stays")
        #expect(try Audit(world, Self.users).findings == [])
    }

    @Test func aRowWithMarksIsNoLongerThanItsBound() throws {
        var row = FriendRecord()
        row.userID = "B"
        let edits: [(inout FriendRecord) -> Void] = [
            { _ in }, { $0.starred = true }, { $0.pinOrder = .max }, { $0.muteUntilMs = .max },
            { $0.ignored = true },
        ]
        for edit in edits {
            edit(&row)
            var longest = row
            (longest.sequence, longest.addTimeMs, longest.remarkTimeMs) = (.max, -1, -1)
            let bytes = try Arena.temporary { (arena) throws(CodecError) in
                try Coder(FriendRecord.self).bytes(longest, arena)
            }
            #expect(bytes.count <= row.bytesBound)
        }
    }

    @Test func theOtherUsersRowsMentionAMuteAsLongAsTheRowHasIt() throws {
        let world = try world()
        #expect(try world.update("B", of: "A") { $0.starred = true } == .success)
        #expect(try world.update("B", of: "A") { $0.pinOrder = 1 } == .success)
        #expect(try mentions(of: "B", in: world) == [], "neither a star nor a pin is mentioned")
        #expect(try world.update("B", of: "A") { $0.muteUntilMs = 1 } == .success)
        #expect(try world.update("B", of: "A") { $0.ignored = true } == .success)
        #expect(try mentions(of: "B", in: world) == ["A"])
        #expect(try world.update("B", of: "A") { $0.muteUntilMs = 0 } == .success)
        #expect(try mentions(of: "B", in: world) == ["A"], "it is ignored still")
        #expect(try world.update("B", of: "A") { $0.ignored = false } == .success)
        #expect(try mentions(of: "B", in: world) == [])
        #expect(try world.update("B", of: "A") { $0.ignored = true } == .success)
        #expect(try world.delete("B", from: "A") == .success)
        #expect(try mentions(of: "B", in: world) == [])
        #expect(try Audit(world, Self.users).findings == [])
    }

    @Test(arguments: ["A", "B"] as [UserID])
    func aDeletedAccountLeavesNoMention(_ leaving: UserID) throws {
        let world = try world()
        #expect(try world.update("B", of: "A") { $0.ignored = true } == .success)
        #expect(try world.update("A", of: "B") { $0.muteUntilMs = .max } == .success)
        try world.deleteAccount(leaving)
        try world.runJobs()
        for user in ["A", "B"] as [UserID] {
            #expect(try mentions(of: user, in: world) == [])
        }
        #expect(try Audit(world, Self.users).findings == [])
    }

    @Test func anImportMarksTheOwnersRowAlone() throws {
        let world = try World("A", "B")
        let outcome = try world.importFriend("B", of: "A", bothWays: true) {
            $0.starred = true
            $0.pinOrder = 1
            $0.muteUntilMs = .max
            $0.ignored = true
        }
        #expect(outcome == .success)
        #expect(try world.friend("B", of: "A")?.isMuting == true)
        let theirs = try #require(try world.friend("A", of: "B"))
        #expect(!theirs.starred && theirs.pinOrder == 0 && !theirs.isMuting)
        #expect(try mentions(of: "B", in: world) == ["A"])
        #expect(try mentions(of: "A", in: world) == [])
        #expect(try Audit(world, ["A", "B"]).findings == [])
    }

    // MARK: Lists

    private func list(
        _ world: World, after position: TimedUser? = nil, _ order: ScanOrder = .ascending,
        limit: Int = 100, _ edit: (inout FriendSelection) -> Void
    ) throws -> (users: [UserID], places: [TimedUser], total: Int) {
        var selection = FriendSelection(at: world.now)
        edit(&selection)
        return try world.read { (transaction) throws(StorageError) in
            var places: [TimedUser] = []
            let total = try selection.scan(
                of: "A", after: position, order, limit: limit, app: world.app, in: transaction
            ) { place, _ in
                places.append(place)
                return .more
            }
            return (places.map(\.user), places, total)
        }
    }

    @Test func pinnedFriendsComeFirstByTheirPosition() throws {
        let world = try world()
        #expect(try world.update("E", of: "A") { $0.pinOrder = 1 } == .success)
        #expect(try world.update("C", of: "A") { $0.pinOrder = .max } == .success)
        let all = try list(world) { $0.order = .pin }
        #expect(all.users == ["E", "C", "B", "D"] && all.total == 4)
        let turned = try list(world, .descending) { $0.order = .pin }
        #expect(turned.users == ["D", "B", "C", "E"])
        // A page goes on after any of them.
        for (number, place) in all.places.enumerated() {
            let rest = try list(world, after: place, limit: 1) { $0.order = .pin }
            #expect(rest.users == Array(all.users.dropFirst(number + 1).prefix(1)))
            #expect(rest.total == 4)
        }
    }

    @Test func eachMarkSelectsItsFriends() throws {
        let world = try world()
        #expect(try world.update("B", of: "A") { $0.starred = true } == .success)
        #expect(try world.update("C", of: "A") { $0.pinOrder = 7 } == .success)
        let end = world.now.milliseconds + 1_000
        #expect(try world.update("D", of: "A") { $0.muteUntilMs = end } == .success)
        #expect(try world.update("E", of: "A") { $0.ignored = true } == .success)
        let wanted: [(FriendMark, [UserID])] = [
            (.starred, ["B"]), (.pinned, ["C"]), (.muted, ["D"]), (.ignored, ["E"]),
            (.unspecified, ["B", "C", "D", "E"]),
        ]
        for (mark, users) in wanted {
            let listed = try list(world) { $0.mark = mark }
            #expect(listed.users == users && listed.total == users.count)
        }
        world.advance(milliseconds: 1_000)
        #expect(try list(world) { $0.mark = .muted }.users == [], "the mute is over")
    }

    @Test func aRelationSelectsItsFriendsAndGoesWithAMarkAndAGroup() throws {
        let world = try world()
        #expect(try list(world) { $0.relation = .bothWay }.users == ["B", "C"])
        #expect(try list(world) { $0.relation = .myUni }.users == ["D", "E"])
        #expect(
            try world.update("B", of: "A") {
                $0.starred = true
                $0.groups = ["work"]
            } == .success)
        #expect(try world.update("D", of: "A") { $0.starred = true } == .success)
        #expect(try world.update("C", of: "A") { $0.groups = ["work"] } == .success)
        let number = try #require(try world.group("work", of: "A")).number
        let both = try list(world) { ($0.relation, $0.mark) = (.bothWay, .starred) }
        #expect(both.users == ["B"])
        let inGroup = try list(world) { ($0.relation, $0.group) = (.bothWay, number) }
        #expect(inGroup.users == ["B", "C"])
        #expect(try list(world) { ($0.relation, $0.group) = (.myUni, number) }.users == [])
        #expect(try world.add("A", to: "D", .single) == .success)
        #expect(try list(world) { $0.relation = .bothWay }.users == ["B", "C", "D"])
    }

    @Test func inOrderOfTheirTimesAllAreListedAsWithoutASelection() throws {
        let world = try world()
        let byTime = try list(world) { $0.order = .addTime }
        let times = try Self.users.dropFirst().map { try world.friend($0, of: "A")?.addTimeMs }
        #expect(byTime.places.map(\.timeMs) == times.compactMap(\.self).sorted())
    }

    // MARK: CanSend

    private func answers(
        _ world: World, reveals: Bool = true
    ) throws -> (rows: [SendRules.Answer], lists: [SendRules.Answer], cached: Bool) {
        let arena = Arena()
        defer { arena.free() }
        let rows = try world.read { (transaction) throws(StorageError) in
            try SendRules.check(
                from: "A", to: ["B", "C"], at: world.now, app: world.app, reveals: reveals,
                in: transaction)
        }
        let names = ["B", "C"].compactMap { arena.text($0) }
        let asked = CacheLookup(world.memory, loading: ["A"], world.app)
        var lists: [SendRules.Answer] = []
        var isCached = false
        try names.withUnsafeBufferPointer { names in
            try world.read { (transaction) throws(StorageError) in
                _ = try Tables.userRecords.record(
                    world.app.partition(of: "A"), OnlyKey(), in: transaction)
                let exists = try SendRules.check(
                    from: "A", to: names, at: world.now, app: world.app, reveals: reveals,
                    asking: asked, in: transaction, arena
                ) { lists.append($0) }
                #expect(exists)
            }
            let cached = try SendRules.cached(
                from: "A", to: names, app: world.app, reveals: reveals, from: world.adjacency, arena
            ) { _ in }
            if case .answered = cached { isCached = true }
        }
        return (rows, lists, isCached)
    }

    @Test(arguments: [false, true])
    func aMessageServerLearnsOfAMuteUntilItEnds(_ checks: Bool) throws {
        let world = try world()
        world.settings.checksFriendshipOnSend = checks
        var notified = try answers(world)
        #expect(notified == ([.allowed, .allowed], [.allowed, .allowed], true))
        let end = world.now.milliseconds + 1_000
        #expect(try world.update("A", of: "B") { $0.muteUntilMs = end } == .success)
        notified = try answers(world)
        #expect(notified == ([.muted, .allowed], [.muted, .allowed], false))
        #expect(try world.update("A", of: "B") { $0.ignored = true } == .success)
        notified = try answers(world)
        #expect(notified == ([.mutedAndIgnored, .allowed], [.mutedAndIgnored, .allowed], false))
        world.advance(milliseconds: 1_000)
        notified = try answers(world)
        #expect(notified == ([.ignored, .allowed], [.ignored, .allowed], false))
        // No user learns of it, and the sender's own marks do not matter.
        #expect(try world.update("C", of: "A") { $0.ignored = true } == .success)
        notified = try answers(world, reveals: false)
        #expect(notified == ([.allowed, .allowed], [.allowed, .allowed], true))
        // A refusal says nothing more.
        #expect(try world.delete("B", from: "A") == .success)
        notified = try answers(world)
        let first = checks ? SendRules.Answer.peerIsNoFriend : .ignored
        #expect(notified == ([first, .allowed], [first, .allowed], checks))
    }
}
