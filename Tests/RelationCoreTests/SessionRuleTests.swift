import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

@Suite struct SessionRuleTests {
    private func end(
        _ user: UserID, _ timeMs: Int64, _ world: World, limit: Int = Limits.sessionEnds
    ) throws(StorageError) -> SessionRules.End {
        try world.call(by: nil) { (ledger) throws(StorageError) in
            try SessionRules.end(user, before: timeMs, in: ledger, limit: limit)
        }
    }

    private func ends(
        _ world: World, beyond known: (history: UInt64, last: Int64)? = nil
    ) throws(StorageError) -> AppSessions {
        try world.store.read { (transaction) throws(StorageError) in
            try SessionRules.all(of: world.app, world.app.history, beyond: known, in: transaction)
        }
    }

    private func texts(_ sessions: AppSessions) -> [String] {
        sessions.ends.map { "\($0.user.text) \($0.beforeMs)" }
    }

    @Test func aMomentRisesAndNeverFalls() throws {
        let world = try World("A")
        #expect(try end("A", 10, world) == .init(beforeMs: 10, changed: true))
        #expect(try end("A", 10, world) == .init(beforeMs: 10, changed: false))
        #expect(try end("A", 5, world) == .init(beforeMs: 10, changed: false))
        #expect(try end("A", 20, world) == .init(beforeMs: 20, changed: true))
        #expect(try texts(ends(world)) == ["A 20"])
    }

    @Test func aUserNeedsNoAccount() throws {
        let world = try World()
        #expect(try end("unknown", 10, world).changed)
        #expect(try texts(ends(world)) == ["unknown 10"])
    }

    @Test func theLaterEndsAreReadAlone() throws {
        let world = try World("A", "B", "C")
        for (user, time): (UserID, Int64) in [("A", 1), ("B", 2), ("C", 3), ("A", 4)] {
            _ = try end(user, time, world)
        }
        let all = try ends(world)
        #expect(all.isWhole && all.last == 4)
        #expect(texts(all) == ["B 2", "C 3", "A 4"])
        let later = try ends(world, beyond: (world.app.history.id, 2))
        #expect(!later.isWhole && texts(later) == ["C 3", "A 4"])
        #expect(try texts(ends(world, beyond: (world.app.history.id, 4))) == [])
        let ofAnother = try ends(world, beyond: (world.app.history.id &+ 1, 4))
        #expect(ofAnother.isWhole && ofAnother.ends.count == 3)
    }

    @Test func forOneMoreThanAreKeptTheOldestHoldsForAll() throws {
        let world = try World()
        for number in 0..<4 {
            _ = try end(UserID(stored: "u\(number)".utf8), Int64(100 - number), world, limit: 3)
        }
        #expect(try texts(ends(world)) == ["u1 99", "u2 98", "u3 97"])
        #expect(try ends(world).floorMs == 100)
        // Below the floor there is nothing to write.
        #expect(try end("new", 100, world, limit: 3) == .init(beforeMs: 100, changed: false))
        _ = try end("u1", 200, world, limit: 3)
        _ = try end("u4", 300, world, limit: 3)
        #expect(try texts(ends(world)) == ["u3 97", "u1 200", "u4 300"])
        #expect(try ends(world).floorMs == 100)
    }

    @Test func theNamedLimitIsReached() throws {
        let world = try World()
        try world.call(by: nil) { (ledger) throws(StorageError) in
            for number in 0...Limits.sessionEnds {
                let user = UserID(stored: "u\(number)".utf8)
                _ = try SessionRules.end(user, before: Int64(number + 1), in: ledger)
            }
        }
        let sessions = try ends(world)
        #expect(sessions.ends.count == Limits.sessionEnds)
        #expect(sessions.floorMs == 1 && sessions.ends.first?.user == "u1")
    }

    @Test func aWrongIndexOrCountIsFoundAndRepaired() throws {
        let world = try World("A", "B")
        _ = try end("A", 1, world)
        _ = try end("B", 2, world)
        func finding() throws -> Integrity.Finding? {
            try world.store.read { (transaction) throws(StorageError) in
                try Integrity.sessionFinding(of: world.app, in: transaction)
            }
        }
        #expect(try finding() == nil)
        try world.call(by: nil) { (ledger) throws(StorageError) in
            let (partition, transaction) = (world.app.partition, ledger.transaction)
            Tables.sessionEndsByNumber.remove(
                partition, SequencedUser(sequence: 1, user: "A"), in: transaction)
            try Tables.sessionEndsByNumber.set(
                EmptyRecord(), at: partition, SequencedUser(sequence: 9, user: "C"),
                in: transaction)
            var head = try SessionRules.summary(of: world.app, in: transaction)
            head.count = 7
            try Tables.sessions.set(head, at: partition, OnlyKey(), in: transaction)
        }
        #expect(try finding()?.subject == "session_ends")
        #expect(
            try world.call(by: nil) { (ledger) throws(StorageError) in
                try Integrity.repairSessions(in: ledger)
            })
        #expect(try finding() == nil)
        #expect(try texts(ends(world)) == ["A 1", "B 2"])
        _ = try end("A", 3, world)
        #expect(try finding() == nil)
    }
}
