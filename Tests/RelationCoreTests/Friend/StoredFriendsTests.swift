import Memory
import Protobuf
import RelationModel
import RelationSuite
import Storage
import StorageSuite
import Testing

@testable import RelationCore

/// Friends' rows that are kept are exactly those of the store, without custom values.
@Suite struct StoredFriendsTests {
    private static let others: [UserID] = (0..<40).map { UserID(stored: "friend \($0)".utf8) }

    private static func world(_ friends: StoredFriends? = nil) throws -> World {
        let world = try World("A", "B", friends: friends)
        try world.create(others)
        for other in others { world.makeFriends("A", other) }
        return world
    }

    /// Asks how `names` stand to `owner`, as a thread of readers does; true if memory said it.
    private func ask(
        _ names: [UserID], of owner: UserID = "A", in world: World
    ) throws -> Bool {
        let arena = Arena()
        defer { arena.free() }
        let texts = names.compactMap { arena.text($0.text) }
        let asked = CacheLookup(world.memory, loading: [owner], world.app)
        return try texts.withUnsafeBufferPointer { texts in
            try world.read { (transaction) throws(StorageError) in
                let userRecord = try Tables.userRecords.record(
                    world.app.partition(of: owner), OnlyKey(), in: transaction)
                return try KnownRelations.read(
                    texts, of: owner, having: Int(userRecord?.friendCount ?? 0), app: world.app,
                    asking: asked, in: transaction, arena) != nil
            }
        }
    }

    private func isKept(_ owner: UserID = "A", in world: World) -> Bool {
        world.memory.friends.rows(of: owner, app: world.app, at: world.adjacency.readVersion())
            != nil
    }

    @Test func allRowsAreReadForOneAsLongAsThereIsRoom() throws {
        let world = try Self.world()
        // Forty rows are at most 64 for each that is asked for.
        #expect(try ask([Self.others[9]], in: world))
        #expect(isKept(in: world))
        #expect(try world.circleFindings(of: ["A", "B"] + Self.others.prefix(6)) == [])
    }

    @Test func rowsAreReadForManyWhereOthersHaveToGoForThem() throws {
        let measured = try Self.world()
        #expect(try ask(Self.others, in: measured))
        let cost = CacheUse.friendRows.reading(in: measured).bytes
        // Room for two users: the half that is young holds one.
        let world = try Self.world(StoredFriends(bytes: 2 * cost + 100))
        let owners: [UserID] = ["C", "D", "E"]
        try world.create(owners)
        for owner in owners { for other in Self.others { world.makeFriends(owner, other) } }
        for owner in ["A"] + owners.prefix(2) {
            #expect(try ask(Self.others, of: owner, in: world))
        }
        #expect(CacheUse.friendRows.reading(in: world).evictions == 1)
        // Forty rows are more than eight for each of four.
        #expect(try !ask(Array(Self.others.prefix(4)), of: "E", in: world))
        #expect(!isKept("E", in: world))
        #expect(try ask(Array(Self.others.prefix(5)), of: "E", in: world))
        #expect(isKept("E", in: world))
    }

    @Test func usersThatAreNoFriendsNeedNoRow() throws {
        let world = try Self.world()
        #expect(try ask(["B", "A"], in: world))
        #expect(!isKept(in: world))
    }

    @Test func aWriteToTheListForgetsTheRows() throws {
        let world = try Self.world()
        #expect(try ask(Self.others, in: world))
        world.makeFriends("A", "B")
        #expect(!isKept(in: world))
        #expect(try ask(Self.others + ["B"], in: world))
        #expect(isKept(in: world))
        #expect(try world.circleFindings(of: ["A", "B"] + Self.others.prefix(6)) == [])
    }

    @Test func rowsLongerThanTheBoundAreReadOneByOne() throws {
        let world = try Self.world(StoredFriends(bytesOfUser: 500))
        #expect(try !ask(Self.others, in: world))
        #expect(!isKept(in: world))
    }

    @Test func idsWithOneHashAreDistinguished() throws {
        let world = try Self.world(StoredFriends(hashMask: 0))
        #expect(try ask(Self.others, in: world))
        #expect(isKept(in: world))
        #expect(try world.circleFindings(of: ["A", "B"] + Self.others.prefix(6)) == [])
    }

    @Test func allThatIsKeptIsBounded() throws {
        let world = try Self.world(StoredFriends(bytes: 1_000))
        #expect(try ask(Self.others, in: world))
        // A half is the most that one entry may take.
        #expect(!isKept(in: world))
    }
}
