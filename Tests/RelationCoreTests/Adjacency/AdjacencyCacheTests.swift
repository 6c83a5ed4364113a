import Memory
import Protobuf
import RelationModel
import RelationSuite
import Storage
import StorageSuite
import Testing

@testable import RelationCore

/// Adjacency lists say exactly what the rows of the reader's own view say, whatever is committed
/// around them.
@Suite struct AdjacencyCacheTests {
    private static let users: [UserID] = ["A", "B", "C", "D", "E"]

    /// The findings of a check, from adjacency lists alone; nil if they do not say all.
    private func cached(
        _ users: [UserID], of owner: UserID, in world: World
    ) throws -> [FriendCheck.Finding]? {
        try Arena.temporary { (arena) throws(StorageError) in
            let names = users.compactMap { arena.text($0.text) }
            return try names.withUnsafeBufferPointer { (names) throws(StorageError) in
                let found = try FriendCheck.cached(
                    names, of: owner, .bidirection, app: world.app, from: world.adjacency, arena)
                guard case .answered(let findings) = found else { return nil }
                return Array(findings)
            }
        }
    }

    /// The findings of a check that may read rows, and loads the owner's adjacency list.
    private func check(
        _ users: [UserID], of owner: UserID, _ asked: CacheLookup?, _ world: World,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> [FriendCheck.Finding]? {
        try Arena.temporary { (arena) throws(StorageError) in
            let names = users.compactMap { arena.text($0.text) }
            return try names.withUnsafeBufferPointer { (names) throws(StorageError) in
                try FriendCheck.run(
                    names, of: owner, .bidirection, app: world.app, asking: asked,
                    in: transaction, arena
                ).map { Array($0) }
            }
        }
    }

    @discardableResult
    private func load(
        _ owner: UserID, _ users: [UserID] = AdjacencyCacheTests.users, in world: World
    ) throws -> [FriendCheck.Finding]? {
        let asked = CacheLookup(world.memory, loading: [owner], world.app)
        return try world.read { (transaction) throws(StorageError) in
            try check(users, of: owner, asked, world, in: transaction)
        }
    }

    @Test func aCircleThatWasLoadedAnswersWithoutTheStore() throws {
        let store = CountingStore()
        let world = try World("A", "B", "C", "D", "E", on: store)
        world.makeFriends("A", "B")
        #expect(try world.add("C", to: "A", .single) == .success)
        #expect(try world.add("A", to: "D", .single) == .success)
        #expect(try cached(Self.users, of: "A", in: world) == nil)
        let expected: [FriendCheck.Finding] = [.none, .bothWay, .myUni, .otherUni, .none]
        #expect(try load("A", in: world) == expected)
        _ = store.take()
        #expect(try cached(Self.users, of: "A", in: world) == expected)
        #expect(store.take() == CountingStore.Counts())
    }

    @Test func aCommitChangesACircleAndForgetsNothing() throws {
        let world = try World("A", "B", "C", "D", "E")
        try load("A", in: world)
        world.makeFriends("A", "B")
        #expect(try cached(["B"], of: "A", in: world) == [.bothWay])
        #expect(try world.delete("B", from: "A", .single) == .success)
        #expect(try cached(["B"], of: "A", in: world) == [.otherUni])
        #expect(try world.delete("A", from: "B", .single) == .success)
        #expect(try cached(["B"], of: "A", in: world) == [FriendCheck.Finding.none])
        #expect(world.adjacency.counts.loads == 1)
    }

    @Test func aCommitThatFailsLeavesNoCircleThatItChanged() throws {
        let world = try World("A", "B", "C", "D", "E")
        for owner: UserID in ["A", "B", "C"] { try load(owner, in: world) }
        try? world.store.write(touching: []) { (transaction) throws(StorageError) in
            let watched = WatchedTransaction(transaction)
            let ledger = Ledger(
                app: world.app, now: world.now, origin: Origin(user: "A"), transaction: watched)
            var row = FriendImport.Row(owner: "A", friend: "B")
            row.bothWays = true
            _ = try FriendImport.write(row, notify: false, in: ledger)
            try ledger.close()
            world.memory.willCommit(watched)
            throw StorageError(.conflict, "on purpose")
        }
        world.memory.didCommit(false)
        #expect(try cached(["B"], of: "A", in: world) == nil)
        #expect(try cached(["A"], of: "B", in: world) == nil)
        #expect(try cached(["D"], of: "C", in: world) == [FriendCheck.Finding.none])
        #expect(try load("A", ["B"], in: world) == [FriendCheck.Finding.none])
    }

    @Test func aRowThatWasRolledBackChangesNoCircle() throws {
        let world = try World("A", "B", "C", "D", "E")
        try load("A", in: world)
        try world.call(by: "A") { (ledger) throws(StorageError) in
            let savepoint = ledger.transaction.savepoint()
            _ = try FriendRules.add(
                FriendItem(user: "B"), to: "A", .both, force: false, in: ledger)
            ledger.transaction.rollback(to: savepoint)
        }
        #expect(try cached(["B"], of: "A", in: world) == [FriendCheck.Finding.none])
        #expect(world.adjacency.counts.loads == 1)
    }

    @Test func anAccountThatGoesIsKnownNoMore() throws {
        let world = try World("A", "B", "C", "D", "E")
        world.makeFriends("A", "B")
        try load("A", in: world)
        try load("B", in: world)
        try world.deleteAccount("B")
        #expect(try load("B", in: world) == nil)
        #expect(try cached(["B"], of: "A", in: world) == [.bothWay])
        try world.runJobs()
        #expect(try load("A", ["B"], in: world) == [.noAccount])
        #expect(try world.make("B") == .made)
        #expect(try load("A", ["B"], in: world) == [FriendCheck.Finding.none])
        #expect(try cached(["B"], of: "A", in: world) == [FriendCheck.Finding.none])
    }

    /// A reader that knows of an account which its own view does not have would answer wrongly.
    @Test func anAccountThatWasMadeAfterTheMomentIsNotRemembered() throws {
        let world = try World("A", "B", "C", "D")
        try load("A", ["B"], in: world)
        let asked = CacheLookup(world.memory, loading: [], world.app)
        _ = try world.make("E")
        try world.read { (transaction) throws(StorageError) in
            #expect(
                try check(["E"], of: "A", asked, world, in: transaction)
                    == [FriendCheck.Finding.none])
        }
        #expect(try cached(["E"], of: "A", in: world) == nil)
        try load("A", ["E"], in: world)
        #expect(try cached(["E"], of: "A", in: world) == [FriendCheck.Finding.none])
    }

    @Test func idsThatAreNoAccountsFillNothing() throws {
        let world = try World("A")
        let ghosts = (0..<100).map { UserID(stored: "ghost \($0)".utf8) }
        #expect(
            try load("A", ghosts, in: world) == Array(repeating: .noAccount, count: ghosts.count))
        #expect(world.adjacency.counts.accounts == 1)
    }

    // MARK: Bounds

    @Test func aCircleThatIsTooLongIsAnsweredFromRows() throws {
        let world = try World("A", "B")
        let count = CoreLimits.adjacencyMembers
        try world.write { (transaction) throws(StorageError) in
            for number in 0..<count {
                let other = UserID(stored: "\(number)".utf8)
                try Tables.mentions.set(
                    EmptyRecord(), at: world.app.partition(of: "A"), Mention(.blacklist, other),
                    in: transaction)
            }
        }
        #expect(try load("A", ["B"], in: world) == [FriendCheck.Finding.none])
        #expect(world.adjacency.counts.adjacency == 1)
        #expect(try cached(["B"], of: "A", in: world) == [FriendCheck.Finding.none])
        // One more is too many.
        world.makeFriends("A", "B")
        #expect(world.adjacency.counts.adjacency == 0)
        #expect(try load("A", ["B"], in: world) == [.bothWay])
        #expect(world.adjacency.counts.adjacency == 0)
        #expect(try cached(["B"], of: "A", in: world) == nil)
    }

    @Test func noMoreCirclesAreLoadedAtOnceThanTheirLimit() throws {
        let world = try World()
        var loads: [AdjacencyCache.Load] = []
        for number in 0..<CoreLimits.adjacencyLoads {
            let user = UserID(stored: "user \(number)".utf8)
            loads.append(try #require(world.adjacency.beginLoad(of: user, world.app)))
        }
        #expect(world.adjacency.beginLoad(of: "one more", world.app) == nil)
        loads.removeLast()
        #expect(world.adjacency.beginLoad(of: "one more", world.app) != nil)
    }

    @Test func moreReadersThanThereArePlacesReadRows() throws {
        let readers = EpochReaders()
        var slots = (0..<CoreLimits.epochReaders).compactMap { _ in readers.enter() }
        #expect(slots.count == CoreLimits.epochReaders)
        #expect(readers.enter() == nil)
        readers.exit(slots.removeLast())
        #expect(readers.enter() != nil)
    }

    @Test func noTwoReadersWriteToOnePairOfCacheLines() throws {
        let readers = EpochReaders()
        for _ in 0..<CoreLimits.epochReaders {
            let slot = try #require(readers.enter())
            #expect(Int(bitPattern: slot) % EpochReaders.slotBytes == 0)
        }
        #expect(MemoryLayout<EpochReaders.Slot>.stride == EpochReaders.slotBytes)
    }

    @Test func memoryIsNotFreedWhileAReaderMayLookAtIt() throws {
        let world = try World("A", "B", "C", "D", "E")
        try load("A", in: world)
        let before = world.adjacency.counts.bytes
        let slot = try #require(world.adjacency.readers.enter())
        for _ in 0..<10 {
            world.makeFriends("A", "B")
            #expect(try world.delete("B", from: "A", .both) == .success)
        }
        #expect(world.adjacency.counts.bytes > before + 10 * 50)
        world.adjacency.readers.exit(slot)
        #expect(world.adjacency.counts.bytes < before + 10 * 50)
    }

    @Test func whereThereIsRoomACircleIsWorthLoadingWhenItIsMissed() throws {
        let world = try World("A", "B")
        if case .worthLoading = try lookUp(at: world) {} else { Issue.record("it is not") }
    }

    @Test func whereOthersWouldGoForItACircleIsWorthLoadingWhenItIsMissedAgain() throws {
        let world = try World("A", "B", adjacency: AdjacencyCache(bytes: 4_000))
        let others = (0..<100).compactMap { UserID("user\($0)") }
        try world.create(others)
        for other in others { try load(other, in: world) }
        try #require(world.adjacency.counts.evictions > 0)
        if case .notKnown = try lookUp(at: world) {
        } else {
            Issue.record("a first miss is worth it")
        }
        if case .worthLoading = try lookUp(at: world) {} else { Issue.record("a second is not") }
    }

    private func lookUp(at world: World) throws -> CacheResult<KnownPairs> {
        try Arena.temporary { (arena) throws(StorageError) in
            let names = [arena.text("B") ?? Text()]
            return try names.withUnsafeBufferPointer { (names) throws(StorageError) in
                try KnownPairs.cached(
                    names, of: "A", provedBy: [], app: world.app, from: world.adjacency, arena)
            }
        }
    }

    // MARK: Everything at once

    @Test(arguments: CircleSize.allCases, [1, 2, 3] as [UInt64])
    func everyAnswerIsThatOfTheRows(_ size: CircleSize, _ seed: UInt64) throws {
        let users = RelationHistory.users
        var settings = RelationHistory.settings(keepsFriendships: seed == 3)
        settings.checksFriendshipOnSend = seed % 2 == 0
        let world = try World(settings: settings, adjacency: size.adjacency())
        try world.create(users)
        var history = RelationHistory(seed: seed)
        var numbers = SeededNumbers(seed: ~seed)
        for number in 0..<200 {
            let step = history.next()
            if try world.userRecord(of: step.actor) != nil { _ = try? world.apply(step) }
            switch Int.random(in: 0..<20, using: &numbers) {
            case 0:
                let user = users[Int.random(in: 0..<users.count, using: &numbers)]
                if try world.userRecord(of: user) != nil { try world.deleteAccount(user) }
            case 1: if try world.nextJob() != nil { _ = try world.stepJob() }
            case 2, 3: for user in users { _ = try world.make(user) }
            default: break
            }
            let findings = try world.circleFindings(
                of: users + [RelationHistory.ghost], loads: number % 3 > 0)
            try #require(findings == [], "seed \(seed), \(size), step \(number): \(step)")
        }
    }

    @Test(arguments: CircleSize.allCases)
    func noReaderBesideAWriterSeesAnotherStateThanThereWas(_ size: CircleSize) throws {
        let world = try World(adjacency: size.adjacency())
        let (errors, cached) = try AdjacencyRace.run(world, readers: 3, moves: 300)
        #expect(errors == [])
        #expect(cached > 0 || size == .none || size == .tiny)
    }
}
