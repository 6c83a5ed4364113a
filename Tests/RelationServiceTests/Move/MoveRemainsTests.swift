import RelationModel
import Storage
import StorageSuite
import Testing

@testable import RelationCore
@testable import RelationRuntime

/// The remains of moves that ended, and the answers that go with an app.
@Suite struct MoveRemainsTests {
    /// - Parameter isTarget: Whether the target is cleared, and not the source.
    private func remains(
        of world: MovedApp, inTarget isTarget: Bool, others: [String: MemoryStore]? = nil,
        notify: @escaping (MoveNote) -> Void = { _ in }
    ) -> MoveRemains {
        let stores = others ?? ["one": world.source, "other": world.target]
        return MoveRemains(
            of: MovedApp.id, in: isTarget ? "other" : "one",
            isTarget ? world.target : world.source, log: world.log(),
            others: MoveRemains.Others(
                traces: { (name) throws(StorageError) in
                    try stores[name]?.read { (transaction) throws(StorageError) in
                        try AppTraces(of: MovedApp.id, in: transaction)
                    }
                },
                places: { () throws(StorageError) in [] }),
            clock: world.clock, notify: notify)
    }

    private func delete(_ world: MovedApp, in store: MemoryStore) throws {
        try store.write(touching: []) { (transaction) throws(StorageError) in
            let ledger = Ledger(
                app: .registry, now: world.now, origin: Origin(user: nil),
                transaction: transaction)
            _ = try AppRules.delete(MovedApp.id, in: ledger)
            try ledger.close()
        }
        var isLast = false
        while !isLast {
            isLast = try store.write(touching: []) { (transaction) throws(StorageError) in
                try AppDeletion.step(
                    App(id: MovedApp.id, settings: .tim), world.now, in: transaction)
            }
        }
    }

    @Test func theNumberOfAnAppIsFreeOnceNoDatabaseHasIt() throws {
        let world = try MovedApp(seed: 21)
        try world.mover().run()
        var notes: [MoveNote] = []
        try remains(of: world, inTarget: false) { notes.append($0) }.clear()
        #expect(notes.last == .cleared(isFree: false))
        #expect(try world.move(in: world.source)?.state == .left)
        try delete(world, in: world.target)
        let before = try version(of: world.source)
        try remains(of: world, inTarget: false) { notes.append($0) }.clear()
        #expect(notes.last == .cleared(isFree: true))
        #expect(try world.move(in: world.source) == nil)
        // Servers read the registry anew.
        #expect(try version(of: world.source) > before)
        try remains(of: world, inTarget: true).clear()
        #expect(try world.move(in: world.target) == nil)
        #expect(throws: StorageError(.foreign, "")) {
            try remains(of: world, inTarget: true).clear()
        }
    }

    private func version(of store: MemoryStore) throws -> Int64 {
        try store.read { (transaction) throws(StorageError) in
            try AppRules.version(in: transaction)
        }
    }

    @Test func anAppThatLivesThereOrIsOnItsWayIsLeftAlone() throws {
        let world = try MovedApp(seed: 22)
        #expect(throws: StorageError(.foreign, "")) {
            try remains(of: world, inTarget: false).clear()
        }
        var isOver = false
        let mover = world.mover { note in if case .copying = note { isOver = true } }
        world.onStep = { if isOver { throw MoverLife.killed } }
        #expect(throws: StorageError.self) { try mover.run() }
        world.onStep = {}
        let came = try world.rows(of: world.target)
        #expect(!came.isEmpty)
        for isTarget in [false, true] {
            #expect(throws: StorageError(.foreign, "")) {
                try remains(of: world, inTarget: isTarget).clear(takingOver: true)
            }
        }
        #expect(try world.rows(of: world.target) == came)
        try world.mover().run(takingOver: true)
        #expect(try world.rows(of: world.target) == world.model)
    }

    /// The database from which it came knows nothing of the move, is gone, or knows of another one.
    @Test(arguments: ["cancelled", "gone", "other"])
    func rowsOfAMoveThatEndedAreRemoved(_ how: String) throws {
        let world = try MovedApp(seed: 23)
        var isOver = false
        let mover = world.mover { note in if case .copying = note { isOver = true } }
        world.onStep = { if isOver { throw MoverLife.killed } }
        #expect(throws: StorageError.self) { try mover.run() }
        world.onStep = {}
        var others = ["one": world.source, "other": world.target]
        switch how {
        case "cancelled": try world.mover().cancel(takingOver: true, reachesTarget: false)
        case "gone": others["one"] = nil
        default:
            try world.source.write(touching: []) { (transaction) throws(StorageError) in
                guard var record = try MovedApps.record(of: MovedApp.id, in: transaction) else {
                    return
                }
                record.id += 1
                try AppMoves.set(record, of: MovedApp.id, in: transaction)
            }
        }
        #expect(try !world.rows(of: world.target).isEmpty)
        var notes: [MoveNote] = []
        let remains = remains(of: world, inTarget: true, others: others) { notes.append($0) }
        try remains.clear(takingOver: true)
        #expect(try world.rows(of: world.target).isEmpty)
        #expect(try world.move(in: world.target) == nil)
        guard how == "cancelled" else { return }
        #expect(try world.rows(of: world.source) == world.model)
        try world.mover().run(takingOver: true)
        #expect(try world.rows(of: world.target) == world.model)
    }

    /// The mover ended before all rows were removed, and the app has moved on since.
    @Test func rowsOfAnAppThatHasMovedOnAreRemoved() throws {
        let world = try MovedApp(seed: 24)
        var isOver = false
        let mover = world.mover { note in if case .arrived = note { isOver = true } }
        var later = 0
        world.onStep = {
            guard isOver else { return }
            later += 1
            if later > 4 { throw MoverLife.killed }
        }
        #expect(throws: StorageError.self) { try mover.run() }
        world.onStep = {}
        #expect(try world.move(in: world.source)?.state == .left)
        #expect(try !world.rows(of: world.source).isEmpty)
        try remains(of: world, inTarget: false).clear(takingOver: true)
        #expect(try world.rows(of: world.source).isEmpty)
        #expect(try world.move(in: world.source)?.isEmptied == true)
        #expect(!world.noted.isOn)
        #expect(try world.rows(of: world.target) == world.model)
    }

    @Test func rowsThatTheRegistryDoesNotListAreRemoved() throws {
        let world = try MovedApp(seed: 25)
        try world.target.write(touching: []) { (transaction) throws(StorageError) in
            for number in UInt8(0)..<200 {
                transaction.set(MovedApp.key(MovedApp.id, number), to: [1])
            }
        }
        #expect(throws: StorageError(.foreign, "")) { try world.mover().run() }
        try remains(of: world, inTarget: true).clear()
        try world.mover().run()
        #expect(try world.rows(of: world.target) == world.model)
    }

    // MARK: Answers

    private func answers(of store: MemoryStore) throws -> [MovedAnswers.Answer] {
        try store.read { (transaction) throws(StorageError) in
            try MovedAnswers.all(in: transaction) { _ in true }
        }
    }

    private func keep(_ response: [UInt8], _ id: String, in store: MemoryStore) throws {
        try store.write(touching: []) { (transaction) throws(StorageError) in
            let ledger = Ledger(
                app: .registry, now: Timestamp(milliseconds: 5), origin: Origin(user: nil),
                transaction: transaction)
            try Answers.store(
                response, under: RequestID(id), digest: [9], of: .administrator, in: ledger)
            try ledger.close()
        }
    }

    private func answerCount(of store: MemoryStore) throws -> Int {
        try store.read { (transaction) throws(StorageError) in
            let record = try Accounts.record(
                of: .administrator, app: .registry, in: transaction)
            return Int(record?.answerCount ?? 0)
        }
    }

    @Test func theAnswersAboutAnAppGoWithIt() throws {
        let world = try MovedApp(seed: 26)
        try keep([7], "made", in: world.source)
        try keep([8], "made-else", in: world.source)
        try keep([3], "made", in: world.target)
        try keep([2], "there", in: world.target)
        try world.mover(isAbout: { bytes, app in bytes == [UInt8(app)] }).run()
        let found = try answers(of: world.target)
        #expect(found.map(\.id.text).sorted() == ["made", "there"])
        let made = try #require(found.first { $0.id.text == "made" })
        #expect(made.record.response == [7] && made.record.timeMs == 5)
        #expect(try answerCount(of: world.target) == 2)
        #expect(try answers(of: world.source).count == 2)
    }

    // MARK: Rounds

    @Test func aRoundOfLongRowsComesInSeveralTransactions() throws {
        let world = try MovedApp(seed: 27)
        let life = MoverLife()
        var isMade = false
        let mover = world.mover(life) { [unowned world] note in
            guard case .copying = note, !isMade else { return }
            isMade = true
            life.forgetLongest()
            // Together they are more than one transaction may have.
            let value = [UInt8](repeating: 7, count: MoveLimits.bytes / 4)
            for number in UInt8(0)..<40 {
                try? world.change(MovedApp.key(MovedApp.id, number), to: value)
            }
            try? world.change(MovedApp.key(MovedApp.id, 50), to: value + value + value + value)
        }
        try mover.run()
        #expect(isMade)
        #expect(try world.rows(of: world.target) == world.model)
        // One row more than the limit: the one that goes beyond it.
        #expect(life.longestBytes >= MoveLimits.bytes)
        #expect(life.longestBytes <= 2 * MoveLimits.bytes + MoveLimits.bytes / 2)
    }
}
