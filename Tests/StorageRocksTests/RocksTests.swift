import Storage
import StorageSuite
import Synchronization
import Testing

@testable import StorageRocks

@Suite struct RocksTests {
    private let ann = Partition("ann")
    private let folder = TemporaryFolder()

    @Test(arguments: storagePromises)
    func rocksKeeps(_ promise: Promise) throws {
        try promise.check(rocksEngine())
    }

    @Test func aBatchOfOperationsIsWrittenOnce() throws {
        let store = try RocksStore(folder: folder.path, .small)
        defer { store.close() }
        try store.write(touching: [ann]) { (transaction) throws(StorageError) in
            for operation in 0..<64 {
                let savepoint = transaction.savepoint()
                transaction.set(ann.key("\(operation)"), "done")
                _ = try transaction.text(ann.key("count"))
                if operation % 5 == 0 { transaction.rollback(to: savepoint) }
            }
        }
        #expect(store.commitCount == 1)
    }

    @Test func whatChangesNothingIsNotWritten() throws {
        let store = try RocksStore(folder: folder.path, .small)
        defer { store.close() }
        try store.put([Row("a", "1")], in: ann)
        try store.write(touching: [ann]) { (transaction) throws(StorageError) in
            let start = transaction.savepoint()
            transaction.set(ann.key("b"), "2")
            transaction.rollback(to: start)
            _ = try transaction.text(ann.key("a"))
            transaction.set(ann.key("a"), "1")
        }
        try? store.write(touching: [ann]) { (transaction) throws(StorageError) in
            transaction.set(ann.key("a"), "2")
            throw StorageError(.conflict, "on purpose")
        }
        #expect(store.commitCount == 1)
    }

    @Test func readsOfAKeptMomentUseTheBuffersOfOtherReads() throws {
        let store = try RocksStore(folder: folder.path, .small)
        defer { store.close() }
        try store.put([Row("a", "1")], in: ann)
        let snapshot = try store.snapshot()
        defer { snapshot.close() }
        try store.put([Row("a", "2")], in: ann)
        let read: (any ReadTransaction) throws(StorageError) -> String? = {
            (transaction) throws(StorageError) in try transaction.text(ann.key("a"))
        }
        for _ in 0..<3 {
            #expect(try snapshot.read(read) == "1")
            // The next read uses the same buffers, and nothing of the earlier moment is in them.
            #expect(try store.read(read) == "2")
            #expect(store.idleReaders == 1)
        }
    }

    @Test func moreReadsMayBeOpenThanAreKept() throws {
        let store = try RocksStore(folder: folder.path, .small)
        try store.put([Row("a", "1")], in: ann)
        func nest(_ depth: Int) throws(StorageError) -> Int {
            try store.read { (transaction) throws(StorageError) in
                let deeper = depth == 0 ? 0 : try nest(depth - 1)
                return deeper + (try transaction.text(ann.key("a")) == "1" ? 1 : 0)
            }
        }
        #expect(try nest(100) == 101)
        #expect(try nest(100) == 101)
        store.close()
    }

    @Test func compactingLeavesTheNewestStateOfEachRow() throws {
        let store = try RocksStore(folder: folder.path, .small)
        defer { store.close() }
        for text in ["1", "2", "3"] {
            try store.put((0..<100).map { Row("row\($0)", text) }, in: ann)
            try store.flush()
        }
        #expect(store.statistics().rows == 300)
        try store.compact()
        #expect(store.statistics().rows == 100)
        #expect(try store.text(ann.key("row99")) == "3")
    }

    @Test func aReadOfMemoryDoesNotReadFiles() throws {
        let engine = rocksEngine()
        var store = try engine.open()
        try store.put([Row("a", "1")], in: ann)
        try #require(store as? RocksStore).flush()
        store.close()
        store = try engine.open()
        defer { store.close() }
        for _ in 0..<2 {
            #expect(throws: StorageError(.notInMemory, "")) {
                try store.read(reaching: .memory) { (transaction) throws(StorageError) in
                    try transaction.text(ann.key("a"))
                }
            }
            #expect(throws: StorageError(.notInMemory, "")) {
                try store.read(reaching: .memory) { (transaction) throws(StorageError) in
                    try transaction.rows(KeyRange(all: ann)).count
                }
            }
        }
        #expect(try store.text(ann.key("a")) == "1")
        let text = try store.read(reaching: .memory) { (transaction) throws(StorageError) in
            try transaction.text(ann.key("a"))
        }
        #expect(text == "1")
    }

    @Test func aReadOfMemoryTakesNoRowOnDiskForMissing() throws {
        let engine = rocksEngine()
        var store = try engine.open()
        // There are many files, and the newest state of a row, present or removed, may be in any of
        // them.
        let padding = String(repeating: "p", count: 100)
        var newest = [String](repeating: "", count: 2000)
        var numbers = SeededNumbers(seed: 26)
        for file in 0..<12 {
            try store.write(touching: [ann]) { transaction in
                for row in newest.indices where Int.random(in: 0..<8, using: &numbers) == 0 {
                    let key = ann.key("row\(row)")
                    if newest[row].isEmpty || Bool.random(using: &numbers) {
                        newest[row] = "\(file)" + padding
                        transaction.set(key, to: Array(newest[row].utf8))
                    } else {
                        newest[row] = ""
                        transaction.remove(key)
                    }
                }
            }
            // This is what a restart of a server does.
            store.close()
            store = try engine.open()
        }
        defer { store.close() }
        var complete = 0
        for round in 0..<600 {
            let some = newest.indices.shuffled(using: &numbers).prefix(round % 2 == 0 ? 3 : 900)
            var keys = KeyList()
            for row in some { keys.append(ann.key("row\(row)")) }
            var found: [String] = []
            do throws(StorageError) {
                try store.read(reaching: .memory) { (transaction) throws(StorageError) in
                    try transaction.read(keys) { _, value in
                        found.append(value.map { String(decoding: $0, as: UTF8.self) } ?? "")
                    }
                }
                #expect(found == some.map { newest[$0] })
                complete += 1
            } catch {
                #expect(error.code == .notInMemory)
                // This read brings one of their blocks into memory.
                _ = try store.text(ann.key("row\(some[0])"))
            }
        }
        #expect(complete > 0)
    }

    @Test func aWriteOfTooManyBytesIsRefusedWhole() throws {
        let store = try RocksStore(folder: folder.path, .small)
        defer { store.close() }
        let part = [UInt8](repeating: 7, count: 48 << 20)
        #expect(throws: StorageError(.failed, "")) {
            try store.write(touching: [ann]) { transaction in
                for name in ["a", "b", "c"] { transaction.set(ann.key(name), to: part) }
            }
        }
        #expect(try store.rows(KeyRange(all: ann)).isEmpty)
        try store.put([Row("a", "1")], in: ann)
        #expect(try store.text(ann.key("a")) == "1")
    }

    @Test func rowsOutliveMergesOfTheirFiles() throws {
        let engine = rocksEngine()
        var numbers = SeededNumbers(seed: 6)
        var wanted: [String: String] = [:]
        var store = try engine.open()
        for round in 0..<40 {
            var rows: [Row] = []
            for _ in 0..<500 {
                let name = "p\(Int.random(in: 0..<5000, using: &numbers))"
                // The digits are random: others would compress to almost nothing and fill no file.
                let value = (0..<8).map { _ in String(numbers.next()) }.joined()
                wanted[name] = value
                rows.append(Row(name, value))
            }
            try store.put(rows, in: ann)
            if round % 10 == 9 {
                store.close()
                store = try engine.open()
            }
        }
        let found = try store.rows(KeyRange(all: ann))
        #expect(found == wanted.sorted { $0.key < $1.key }.map { Row($0.key, $0.value) })
        store.close()
    }
}

/// RocksDB with small files and no syncs, in a folder of its own.
func rocksEngine() -> FolderEngine {
    FolderEngine("rocks") { (path) throws(StorageError) in try RocksStore(folder: path, .small) }
}
