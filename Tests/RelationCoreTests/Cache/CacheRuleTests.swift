import RelationModel
import RelationSuite
import Storage
import Testing

@testable import RelationCore

/// The rules of `docs/read-cache.md`, for each use of the read cache.
@Suite struct CacheRuleTests {
    /// Runs `body` on a transaction that changes A, between the two steps of its commit.
    ///
    /// - Parameter change: Nil for a transaction that changes nothing.
    private func begin(
        _ change: Int?, _ use: CacheUse, in world: World, _ transaction: any WriteTransaction
    ) throws(StorageError) {
        let watched = WatchedTransaction(transaction)
        let ledger = Ledger(
            app: world.app, now: world.now, origin: Origin(user: "A"), transaction: watched)
        if let change { try use.change(change, of: "A", in: ledger) }
        try ledger.close()
        world.memory.willCommit(watched)
    }

    private func commit(
        _ change: Int, of user: UserID = "A", _ use: CacheUse, in world: World
    ) throws(StorageError) {
        try world.call(by: user) { (ledger) throws(StorageError) in
            try use.change(change, of: user, in: ledger)
        }
    }

    /// A world in which the value of A is cached.
    private func warmWorld(_ use: CacheUse) throws -> (world: World, value: String) {
        let world = try use.world()
        try commit(0, use, in: world)
        let value = try use.stored("A", in: world)
        #expect(try use.served("A", in: world) == nil)
        #expect(try use.read("A", in: world) == value)
        #expect(try use.served("A", in: world) == value)
        return (world, value)
    }

    /// Whether the cache serves A, it is by this value; and a read inserts this value.
    private func expect(
        _ value: String, _ use: CacheUse, in world: World,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let served = try use.served("A", in: world)
        #expect(served == nil || served == value, sourceLocation: sourceLocation)
        #expect(try use.read("A", in: world) == value, sourceLocation: sourceLocation)
        #expect(try use.served("A", in: world) == value, sourceLocation: sourceLocation)
    }

    @Test(arguments: CacheUse.allCases)
    func aValueThatWasReadIsServedUntilACommitTouchesIt(_ use: CacheUse) throws {
        let (world, old) = try warmWorld(use)
        try commit(1, of: "B", use, in: world)
        #expect(try use.served("A", in: world) == old)
        try commit(1, use, in: world)
        let new = try use.stored("A", in: world)
        #expect(new != old)
        try expect(new, use, in: world)
    }

    @Test(arguments: CacheUse.allCases)
    func aValueThatWasReadBeforeACommitIsNotInsertedAfterIt(_ use: CacheUse) throws {
        let world = try use.world()
        try commit(0, use, in: world)
        let old = try use.stored("A", in: world)
        let asked = CacheLookup(world.memory, loading: ["A"], world.app)
        try world.read { (transaction) throws(StorageError) in
            try commit(1, use, in: world)
            // Many later commits do not make it forget.
            for number in 0..<5 { try commit(number, of: "B", use, in: world) }
            let seen = try use.value(of: "A", asking: asked, world.app, in: transaction)
            #expect(seen == old)
        }
        #expect(try use.served("A", in: world) == nil)
        try expect(try use.stored("A", in: world), use, in: world)
    }

    @Test(arguments: CacheUse.allCases)
    func aValueThatACommitUnderWayTouchesIsNotServed(_ use: CacheUse) throws {
        let (world, old) = try warmWorld(use)
        try world.store.write(touching: []) { (transaction) throws(StorageError) in
            try begin(1, use, in: world, transaction)
            // No reader sees the commit yet, and a whole read takes place.
            do {
                #expect(try use.served("A", in: world) == nil)
                #expect(try use.read("A", in: world) == old)
                #expect(try use.served("A", in: world) == nil)
            } catch {
                Issue.record("\(error)")
            }
        }
        // Readers see the commit, and it has not ended yet.
        let new = try use.stored("A", in: world)
        #expect(new != old)
        #expect(try use.served("A", in: world) == nil)
        #expect(try use.read("A", in: world) == new)
        #expect(try use.served("A", in: world) == nil)
        world.memory.didCommit(true)
        try expect(new, use, in: world)
    }

    @Test(arguments: CacheUse.allCases)
    func aCommitThatFailsLeavesNothingOfItself(_ use: CacheUse) throws {
        let (world, old) = try warmWorld(use)
        #expect(throws: StorageError.self) {
            try world.store.write(touching: []) { (transaction) throws(StorageError) in
                try begin(1, use, in: world, transaction)
                throw StorageError(.failed, "the disk is away")
            }
        }
        world.memory.didCommit(false)
        #expect(try use.stored("A", in: world) == old)
        try expect(old, use, in: world)
    }

    @Test(arguments: CacheUse.allCases)
    func aTransactionThatRunsAgainBeginsAnew(_ use: CacheUse) throws {
        let (world, old) = try warmWorld(use)
        try world.store.write(touching: []) { (transaction) throws(StorageError) in
            let savepoint = transaction.savepoint()
            try begin(1, use, in: world, transaction)
            transaction.rollback(to: savepoint)
            try begin(nil, use, in: world, transaction)
        }
        world.memory.didCommit(true)
        #expect(try use.stored("A", in: world) == old)
        try expect(old, use, in: world)
    }

    @Test(arguments: CacheUse.allCases)
    func usersOfOneSlotAreInsertedLaterAndAnsweredRight(_ use: CacheUse) throws {
        let world = try use.world(slots: 1)
        try commit(0, use, in: world)
        let value = try use.stored("A", in: world)
        let asked = CacheLookup(world.memory, loading: ["A"], world.app)
        try world.read { (transaction) throws(StorageError) in
            try commit(1, of: "B", use, in: world)
            let seen = try use.value(of: "A", asking: asked, world.app, in: transaction)
            #expect(seen == value)
        }
        #expect(try use.served("A", in: world) == nil)
        try expect(value, use, in: world)
    }

    @Test(arguments: CacheUse.allCases)
    func entriesAreEvictedBeforeTheyTakeMoreThanTheirBound(_ use: CacheUse) throws {
        // Some of the 150 entries have room, and not all.
        let bytes = use == .adjacency ? 8_000 : 20_000
        let world = try use.world(bytes: bytes)
        let users = (0..<150).map { UserID(stored: "user \($0)".utf8) }
        try world.create(users)
        for user in users { try commit(user.text.utf8.count % 3, of: user, use, in: world) }
        for user in users + users {
            #expect(try use.read(user, in: world) == use.stored(user, in: world))
            // Memory that readers still look at may take a quarter more.
            let most = use == .adjacency ? bytes + bytes / 4 : bytes
            #expect(use.reading(in: world).bytes <= most)
        }
        #expect(use.reading(in: world).evictions > 0)
        #expect(use.reading(in: world).entries > 0)
    }

    /// Where another process writes too, no entry could be proved.
    @Test(arguments: CacheUse.allCases)
    func besideOtherWritersNothingIsInsertedOrServed(_ use: CacheUse) throws {
        let world = try use.world(isOnlyWriter: false)
        for number in 0..<3 {
            try commit(number, use, in: world)
            #expect(try use.read("A", in: world) == use.stored("A", in: world))
            #expect(try use.served("A", in: world) == nil)
        }
        #expect(use.reading(in: world).entries == 0)
        #expect(use.reading(in: world).found == 0)
    }

    @Test(arguments: CacheUse.allCases)
    func metricsCountWhatWasServedAndWhatWasNot(_ use: CacheUse) throws {
        let (world, _) = try warmWorld(use)
        let before = use.reading(in: world)
        #expect(before.entries > 0 && before.bytes > 0 && before.bytes <= before.mostBytes)
        _ = try use.served("A", in: world)
        #expect(use.reading(in: world).found == before.found + 1)
        _ = try use.served("B", in: world)
        #expect(use.reading(in: world).notFound == before.notFound + 1)
    }
}
