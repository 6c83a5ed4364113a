import Storage
import StorageRocks
import StorageSuite
import Synchronization
import Testing

/// A disk whose free space a test sets.
private final class Disk: Sendable {
    let free: Atomic<UInt64>

    init(free: UInt64) { self.free = Atomic(free) }
}

@Suite struct DiskLowTests {
    private let ann = Partition("ann")
    private let folder = TemporaryFolder()

    @Test func aLowDiskRefusesCommitsAndServesReads() throws {
        let disk = Disk(free: .max)
        var options = RocksOptions.small
        options.freeBytes = { disk.free.load(ordering: .relaxed) }
        let store = try RocksStore(folder: folder.path, options)
        defer { store.close() }
        try store.put([Row("a", "1")], in: ann)

        disk.free.store(options.reserveBytes - 1, ordering: .relaxed)
        #expect(throws: StorageError(.diskLow, "")) { try store.put([Row("a", "2")], in: ann) }
        #expect(try store.text(ann.key("a")) == "1")
        // A write that changes nothing takes no space.
        let read = try store.write(touching: [ann]) { (transaction) throws(StorageError) in
            let read = try transaction.text(ann.key("a"))
            transaction.set(ann.key("a"), "1")
            return read
        }
        #expect(read == "1")

        disk.free.store(options.reserveBytes, ordering: .relaxed)
        try store.put([Row("a", "3")], in: ann)
        #expect(try store.text(ann.key("a")) == "3")
    }

    @Test func aFileSystemThatDoesNotAnswerIsNotAFullDisk() throws {
        var options = RocksOptions.small
        options.freeBytes = { nil }
        let store = try RocksStore(folder: folder.path, options)
        defer { store.close() }
        #expect(throws: StorageError(.unavailable, "")) { try store.put([Row("a", "1")], in: ann) }
        #expect(try store.text(ann.key("a")) == nil)
    }

    @Test func theFileSystemIsAskedByDefault() throws {
        var options = RocksOptions.small
        // The reserve is larger than any disk.
        options.writeBufferBytes = 1 << 20
        options.levelBaseBytes = 1 << 58
        let store = try RocksStore(folder: folder.path, options)
        defer { store.close() }
        #expect(throws: StorageError(.diskLow, "")) { try store.put([Row("a", "1")], in: ann) }
        #expect(try store.text(ann.key("a")) == nil)
    }

    @Test func theReserveCoversBuffersMergesAndAFloor() {
        var options = RocksOptions()
        options.writeBufferBytes = 100 << 20
        options.writeBuffers = 2
        options.levelBaseBytes = 1000 << 20
        options.targetFileBytes = 10 << 20
        options.backgroundJobs = 4
        // (2 + 1.1) · 100 + 3 · (8 · 100 + 1.5 · 1000) + 64
        #expect(options.reserveBytes == 7274 << 20)
        options.backgroundJobs = 2
        options.targetFileBytes = 400 << 20
        // Eight files of 400 are more than 2300.
        #expect(options.reserveBytes == (310 + 3200 + 64) << 20)
    }
}
