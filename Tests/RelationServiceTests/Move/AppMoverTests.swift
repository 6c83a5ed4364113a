import RPC
import RelationAdmission
import RelationModel
import Storage
import Testing

@testable import RelationCore
@testable import RelationRuntime

/// The move of an app between two databases, with calls of the app between all steps.
@Suite struct AppMoverTests {
    /// Lets calls come between the steps, and checks that one database at most serves the app.
    private func watch(_ world: MovedApp) {
        world.onStep = { [unowned world] in
            for _ in 0..<3 { try world.call() }
            let places = try [world.source, world.target].filter { try world.isActive(in: $0) }
            #expect(places.count <= 1)
        }
    }

    private func expectMoved(_ world: MovedApp) throws {
        #expect(try world.isActive(in: world.target))
        #expect(try !world.isActive(in: world.source))
        #expect(try world.rows(of: world.target) == world.model)
        #expect(try world.rows(of: world.source) == [:])
        #expect(try world.jobs(of: world.target) == [5, 6])
        #expect(try world.jobs(of: world.source) == [])
        #expect(try world.move(in: world.source)?.state == .left)
        #expect(try world.move(in: world.source)?.isEmptied == true)
        #expect(!world.noted.isOn)
        try expectOthers(world)
    }

    private func expectStayed(_ world: MovedApp) throws {
        #expect(try world.isActive(in: world.source))
        #expect(try !world.isActive(in: world.target))
        #expect(try world.rows(of: world.source) == world.model)
        #expect(try world.rows(of: world.target) == [:])
        #expect(try world.jobs(of: world.source) == [5, 6])
        #expect(try world.move(in: world.source) == nil)
        #expect(try world.move(in: world.target) == nil)
        #expect(!world.noted.isOn)
        try expectOthers(world)
    }

    /// The app beside it has its rows in both databases, and both count their apps.
    private func expectOthers(_ world: MovedApp) throws {
        for store in [world.source, world.target] {
            let isHere = try world.isActive(in: store)
            try store.read { (transaction) throws(StorageError) in
                var values: [[UInt8]] = []
                try transaction.scan(
                    KeyRange(app: MovedApp.other, afterKey: []), .ascending, limit: .max
                ) { _, value in
                    values.append(Array(value))
                    return .more
                }
                #expect(values.contains([UInt8(MovedApp.other)]))
                #expect(try AppRules.count(in: transaction) == (isHere ? 2 : 1))
            }
        }
    }

    private func steps() throws -> Int {
        let world = try MovedApp(seed: 1)
        watch(world)
        let life = MoverLife()
        try world.mover(life).run()
        return life.steps
    }

    @Test func anAppMovesWithAllThatItsCallersWereAnswered() throws {
        for seed in UInt64(1)...20 {
            let world = try MovedApp(seed: seed)
            watch(world)
            let before = try world.source.read { (transaction) throws(StorageError) in
                try AppRules.record(of: MovedApp.id, in: transaction)
            }
            var notes: [MoveNote] = []
            try world.mover { notes.append($0) }.run()
            try expectMoved(world)
            let after = try world.target.read { (transaction) throws(StorageError) in
                try AppRules.record(of: MovedApp.id, in: transaction)
            }
            #expect(after == before)
            #expect(notes.first == .begun)
            #expect(notes.last == .ended)
            #expect(notes.contains(.closed))
            #expect(world.refused > 0)
            // Its calls are refused between the end of the copy and the switch only.
            #expect(world.refused < 60)
        }
    }

    @Test func aMoverThatIsKilledAtAnyStepIsBegunAgain() throws {
        for last in 1...(try steps()) {
            for after in [false, true] {
                let world = try MovedApp(seed: UInt64(last))
                watch(world)
                let life = MoverLife(endingAt: last, after: after)
                #expect(throws: MoverLife.killed) { try world.mover(life).run() }
                try world.mover().run(takingOver: true)
                try expectMoved(world)
            }
        }
    }

    @Test func aMoveIsCancelledAtAnyStepUnlessTheTargetHasTheApp() throws {
        var cancelled = 0
        for last in 1...(try steps()) {
            for after in [false, true] {
                let world = try MovedApp(seed: UInt64(last))
                watch(world)
                let life = MoverLife(endingAt: last, after: after)
                #expect(throws: MoverLife.killed) { try world.mover(life).run() }
                do {
                    try world.mover().cancel(takingOver: true)
                    try expectStayed(world)
                    cancelled += 1
                } catch let error as StorageError {
                    #expect(error.code == .foreign, "\(error)")
                    if try world.move(in: world.source) == nil {
                        // It was killed before it had begun anything.
                        #expect(try world.isActive(in: world.source))
                        continue
                    }
                    try world.mover().run(takingOver: true)
                    try expectMoved(world)
                }
            }
        }
        #expect(cancelled > 10)
    }

    @Test func aCancellingThatIsKilledAtAnyStepIsBegunAgain() throws {
        for closes in [false, true] {
            for last in 1...20 {
                let world = try MovedApp(seed: UInt64(last))
                // The first mover ends in the midst of the copy, or when the app is closed.
                let first = MoverLife()
                var isOver = false
                let mover = world.mover(first) { note in
                    if case .copying = note, !closes { isOver = true }
                    if note == .closed { isOver = true }
                }
                world.onStep = { if isOver { throw MoverLife.killed } }
                #expect(throws: StorageError.self) { try mover.run() }
                watch(world)
                let life = MoverLife(endingAt: last, after: last.isMultiple(of: 2))
                try? world.mover(life).cancel(takingOver: true)
                try? world.mover().cancel(takingOver: true)
                try expectStayed(world)
                try world.mover().run(takingOver: true)
                try expectMoved(world)
            }
        }
    }

    /// A mover that was stopped between two steps wakes when another one has moved the app, or has
    /// given the move up.
    @Test func aMoverThatWasStoppedDoesNothingWhenItWakes() throws {
        for last in 1...(try steps()) {
            for cancels in [false, true] {
                let world = try MovedApp(seed: UInt64(last))
                var count = 0
                var isCancelled = false
                world.onStep = { [unowned world] in
                    count += 1
                    guard count == last else { return }
                    world.onStep = {}
                    if cancels, (try? world.mover().cancel(takingOver: true)) != nil {
                        isCancelled = true
                    } else {
                        try world.mover().run(takingOver: true)
                    }
                    for _ in 0..<20 { try world.call() }
                }
                try? world.mover().run()
                let places = try [world.source, world.target].filter {
                    try world.isActive(in: $0)
                }
                #expect(places.count == 1)
                if isCancelled, try world.isActive(in: world.source) {
                    #expect(try world.rows(of: world.source) == world.model)
                } else {
                    #expect(try world.isActive(in: world.target))
                    #expect(try world.rows(of: world.target) == world.model)
                }
            }
        }
    }

    @Test func changesThatWereNotNotedBeginTheCopyAnew() throws {
        let world = try MovedApp(seed: 3)
        var isOver = false
        let mover = world.mover { note in if note == .closed { isOver = true } }
        world.onStep = { if isOver { throw MoverLife.killed } }
        #expect(throws: StorageError.self) { try mover.run() }
        world.noted.lose()
        watch(world)
        try world.mover().run(takingOver: true)
        try expectMoved(world)
    }

    @Test func theComparisonBringsRowsOverThatDiffer() throws {
        let world = try MovedApp(seed: 4)
        var isMeddled = false
        var renewed: Int64 = 0
        let mover = world.mover { [unowned world] note in
            if case .comparing(_, let count) = note { renewed = count }
            guard case .following = note, !isMeddled else { return }
            isMeddled = true
            try? world.target.write(touching: []) { (transaction) throws(StorageError) in
                transaction.set(MovedApp.key(MovedApp.id, 250), to: [1])
                for key in world.model.keys.prefix(2) { transaction.remove(key) }
            }
        }
        try mover.run()
        #expect(isMeddled)
        #expect(renewed == 3)
        try expectMoved(world)
    }

    @Test func workWithANumberThatIsTakenPutsTheMoveOff() throws {
        let world = try MovedApp(seed: 5)
        var job = MovedJobRecord()
        (job.number, job.userID) = (6, "else")
        let taken = job
        try world.target.write(touching: []) { (transaction) throws(StorageError) in
            try Jobs.give([taken], to: MovedApp.other, in: transaction)
        }
        watch(world)
        #expect(throws: StorageError(.conflict, "")) { try world.mover().run() }
        #expect(try world.isActive(in: world.source))
        #expect(try world.jobs(of: world.source) == [5, 6])
        try world.target.write(touching: []) { (transaction) throws(StorageError) in
            _ = try Jobs.take(of: MovedApp.other, in: transaction)
        }
        try world.mover().run(takingOver: true)
        try expectMoved(world)
    }

    @Test func anAppThatChangesTooFastIsNotClosed() throws {
        let world = try MovedApp(seed: 6)
        world.onStep = { [unowned world] in
            // More than two of the four steps of a round make them enough.
            for _ in 0..<MoveLimits.fewChanges / 2 { world.noted.note(MovedApp.key(7, 0)) }
        }
        var notes: [MoveNote] = []
        #expect(throws: StorageError(.unavailable, "")) {
            try world.mover { notes.append($0) }.run()
        }
        #expect(!notes.contains(.closed))
        #expect(try world.isActive(in: world.source))
    }

    // MARK: Refusals

    @Test func aTargetThatHasSuchAnAppIsRefusedAndNothingIsLeft() throws {
        let world = try MovedApp(seed: 7)
        try world.target.write(touching: []) { (transaction) throws(StorageError) in
            transaction.set(MovedApp.key(MovedApp.id, 1), to: [1])
        }
        #expect(throws: StorageError(.foreign, "")) { try world.mover().run() }
        #expect(try world.move(in: world.source) == nil)
        #expect(try world.move(in: world.target) == nil)
    }

    @Test func twoMoversAreRefused() throws {
        let world = try MovedApp(seed: 8)
        try? world.mover(MoverLife(endingAt: 12)).run()
        #expect(throws: StorageError(.locked, "")) { try world.mover().run() }
        try world.mover().run(takingOver: true)
        try expectMoved(world)
        // To run it again changes nothing.
        try world.mover().run()
        try expectMoved(world)
        #expect(throws: StorageError(.foreign, "")) { try world.mover().cancel() }
    }

    @Test func thereIsNothingToCancelWithoutAMove() throws {
        let world = try MovedApp(seed: 9)
        #expect(throws: StorageError(.foreign, "")) { try world.mover().cancel() }
    }

    @Test func theNumberOfAnAppThatHasLeftIsNotGivenOut() throws {
        let world = try MovedApp(seed: 10)
        try world.mover().run()
        let result = try world.source.write(touching: []) { (transaction) throws(StorageError) in
            let ledger = Ledger(
                app: .registry, now: world.now, origin: Origin(user: nil),
                transaction: transaction)
            var making = AppRules.Making()
            making.id = MovedApp.id
            let result = try AppRules.create(making, in: ledger)
            try ledger.close()
            return result
        }
        #expect(result == .exists)
        let away = try world.source.read { (transaction) throws(StorageError) in
            try MovedApps.away(in: transaction)
        }
        #expect(away == [MovedApp.id])
        #expect(
            try world.target.read { (transaction) throws(StorageError) in
                try MovedApps.away(in: transaction)
            } == [])
    }

    @Test func aCallForAnAppThatIsAwayMayBeRepeated() throws {
        let apps = Apps([App(id: 7, settings: .tim)], away: [9])
        #expect(apps.missing(9).code == .unavailable)
        #expect(apps.missing(8).code == .notFound)
        apps.replace([], [], registry: .registry, away: [7, 8], version: 1)
        #expect(
            [7, 8, 9].map { apps.missing($0).code } == [.unavailable, .unavailable, .notFound])
    }

    // MARK: Parts

    @Test func thePaceKeepsRowsBelowTheRate() {
        var pace = MovePace(rate: 100, at: 0)
        #expect(pace.rows == 20)
        #expect(pace.handled(20, at: 0) == 200)
        #expect(pace.handled(20, at: 200) == 200)
        // Time that has passed without rows is not made up for, but for one piece.
        #expect(pace.handled(20, at: 10_000) == 0)
        #expect(pace.handled(20, at: 10_000) == 200)
        #expect(MovePace(rate: 1, at: 0).rows == 1)
        // Rows that the app changed meanwhile take no time, up to a limit.
        var growing = MovePace(rate: 100, at: 0)
        growing.changed(30)
        #expect(growing.handled(20, at: 0) == 0)
        #expect(growing.handled(20, at: 0) == 100)
        growing.changed(.max / 2)
        #expect(growing.handled(2 * MoveLimits.changes + 10, at: 100) == 100)
        #expect(MovePace(rate: MoveLimits.mostRowsPerSecond, at: 0).rows == MoveLimits.rows)
    }
}
