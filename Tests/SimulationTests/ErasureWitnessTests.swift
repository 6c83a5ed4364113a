import PostgresSupport
import RelationCore
import RelationModel
import RelationSuite
import Storage
import StorageRocks
import StorageSuite
import Testing

/// After an erasure, no row of the store has the user's id, or any of its texts.
///
/// A store is filled with every relation that a user can have, under an id and with texts that
/// occur nowhere else, and with traces that only the store's own work leaves. Then all bytes of all
/// rows are searched.
@Suite struct ErasureWitnessTests {
    /// The beginning of the id and of each text of the erased user.
    private static let mark = "zq7"
    private let rare: UserID = "zq7-id"

    @Test func noRowOfAFolderHasTheErasedUser() throws {
        let engine = FolderEngine("rocks") { (path) throws(StorageError) in
            try RocksStore(folder: path, .small)
        }
        try run(on: engine) { (store) throws(StorageError) in
            try store.rows(KeyRange(after: [])).map { $0.suffix + $0.value }
        }
    }

    @Test(.enabled(if: PostgresEngine.isThere)) func noRowOfADatabaseHasTheErasedUser() throws {
        let engine = try PostgresEngine()
        try run(on: engine) { (_) throws(StorageError) in
            try engine.sql("SELECT encode(p || k || v, 'hex') FROM relation_kv").map { text in
                let digits = Array(text.utf8)
                return stride(from: 0, to: digits.count, by: 2).map { index in
                    UInt8(String(decoding: digits[index...(index + 1)], as: UTF8.self), radix: 16)
                        ?? 0
                }
            }
        }
    }

    /// - Parameter rows: Reads the bytes of all rows.
    private func run(
        on engine: any Engine, rows: (any Store) throws(StorageError) -> [[UInt8]]
    ) throws {
        var store = try engine.open()
        var world = try World(on: store)
        try fill(world)
        func named() throws -> [[UInt8]] {
            try rows(store).filter { $0.firstRange(of: Array(Self.mark.utf8)) != nil }
        }
        #expect(try named().count > 40, "the store is filled with rows that name the user")

        try erase(world)
        var steps = 0
        while try world.nextJob() != nil {
            #expect(try world.make(rare) == .isLeaving)
            _ = try world.stepJob()
            steps += 1
            let findings = try Audit(world, ErasureFill.others).findings.filter {
                !$0.contains("mentions") && !$0.contains("feed names")
            }
            #expect(findings == [], "after step \(steps)")
            guard steps % 3 == 0 else { continue }
            // A server that ends between two steps goes on where it was.
            let (settings, now) = (world.settings, world.now)
            store.close()
            store = try engine.open()
            world = try World(on: store, settings: settings)
            world.now = now
        }
        #expect(steps > 1)
        #expect(try named().map { String(decoding: $0, as: UTF8.self) } == [])
        #expect(try world.integrity() == [])
        store.close()
    }

    private func fill(_ world: World) throws {
        try ErasureFill(world, rare, Self.mark).fill()
    }

    private func erase(_ world: World) throws {
        let start = try world.call(by: nil) { (ledger) throws(StorageError) in
            try AccountDeletion.start(rare, erasing: .init(digest: "d"), in: ledger)
        }
        #expect(start == .started(2))
    }
}
