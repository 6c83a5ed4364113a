import Dispatch
import Foundation
import Storage
import StorageRocks
import StorageSuite
import Synchronization
import Testing

/// The errors by which a store fails for good, and the calls that it takes from then on.
@Suite struct StoreFailureTests {
    private let ann = Partition("ann")
    private let folder = TemporaryFolder()

    @Test func aFlushThatFailsIsFoundWithoutAWrite() throws {
        let store = try RocksStore(folder: folder.path, .small)
        let blocked = try blockNewFiles()
        let rows = filling()
        // These rows are more than the buffer takes. So the next write begins another buffer, and
        // the engine's own thread writes the first one out, and fails.
        try store.put(rows, in: ann)
        try store.put([Row("a", "1")], in: ann)
        #expect(found(by: store)?.code == .failed)

        #expect(throws: StorageError(.stopped, "")) { try store.put([Row("b", "1")], in: ann) }
        #expect(throws: StorageError(.stopped, "")) { try store.flush() }
        #expect(
            try store.text(ann.key("00000")) == String(repeating: "0", count: 1_000), "reads go on")
        store.close()

        for file in blocked { try FileManager.default.removeItem(at: file) }
        let next = try RocksStore(folder: folder.path, .small)
        defer { next.close() }
        #expect(try next.rows(KeyRange(all: ann)) == rows + [Row("a", "1")])
        try next.put([Row("b", "1")], in: ann)
        #expect(next.failure.found == nil)
    }

    @Test func aMergeThatMeetsADamagedFileIsFoundAndAReadIsNot() throws {
        var store = try RocksStore(folder: folder.path, .small)
        for _ in 0..<2 {
            try store.put(filling(), in: ann)
            try store.flush()
        }
        store.close()
        let file = try #require(try tables().last)
        var bytes = try Data(contentsOf: file)
        for offset in 200..<300 { bytes[offset] ^= 0xFF }
        try bytes.write(to: file)

        store = try RocksStore(folder: folder.path, .small)
        #expect(throws: StorageError(.corrupted, "")) { try store.text(ann.key("00000")) }
        try store.put([Row("b", "1")], in: ann)
        #expect(store.failure.found == nil, "one damaged row takes nothing from the others")
        try store.compact()
        #expect(found(by: store)?.code == .failed)
        #expect(throws: StorageError(.stopped, "")) { try store.put([Row("c", "1")], in: ann) }
        store.close()
    }

    /// The test runs in a process of its own, since it uses up the process's descriptors.
    @Test func aLogThatCannotBeBegunLeavesTheOutcomeUnknown() async throws {
        await #expect(processExitsWith: .success) {
            let (folder, ann) = (TemporaryFolder(), Partition("ann"))
            let store = try RocksStore(folder: folder.path, .small)
            var limit = rlimit(rlim_cur: 3, rlim_max: 1_000)
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            var written = 0
            let error = #expect(throws: StorageError.self) {
                while written < 10_000 {
                    try store.put(
                        [Row("\(written)", String(repeating: "x", count: 1_000))], in: ann)
                    written += 1
                }
            }
            #expect(error?.code == .outcomeUnknown, "\(String(describing: error))")
            #expect(store.failure.found != nil)
            #expect(throws: StorageError(.stopped, "")) { try store.put([Row("b", "1")], in: ann) }
            limit.rlim_cur = 1_000
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            store.close()
            let next = try RocksStore(folder: folder.path, .small)
            for number in 0..<written { #expect(try next.text(ann.key("\(number)")) != nil) }
            next.close()
        }
    }

    @Test func whatOthersReportStopsTheStore() throws {
        let store = try RocksStore(folder: folder.path, .small)
        defer { store.close() }
        let messages = Mutex<[String]>([])
        store.failure.whenFound { error in messages.withLock { $0.append(error.message) } }
        store.failure.report(StorageError(.failed, "the folder is gone"))
        store.failure.report(StorageError(.failed, "it is still gone"))
        #expect(throws: StorageError(.stopped, "")) { try store.put([Row("a", "1")], in: ann) }
        store.failure.whenFound { error in
            messages.withLock { $0.append("late: \(error.message)") }
        }
        #expect(messages.withLock { $0 } == ["the folder is gone", "late: the folder is gone"])
    }

    /// Rows that fill more than one buffer.
    private func filling() -> [Row] {
        (0..<300).map {
            Row(String(format: "%05d", $0), String(repeating: "\($0 % 10)", count: 1_000))
        }
    }

    /// The error that the store finds within a minute.
    private func found(by store: RocksStore) -> StorageError? {
        let isFound = DispatchSemaphore(value: 0)
        store.failure.whenFound { _ in isFound.signal() }
        _ = isFound.wait(timeout: .now() + 60)
        return store.failure.found
    }

    private func tables() throws -> [URL] {
        try FileManager.default.contentsOfDirectory(
            at: URL(fileURLWithPath: folder.path + "/rows"), includingPropertiesForKeys: nil
        ).filter { $0.pathExtension == "sst" }.sorted { $0.path < $1.path }
    }

    /// Keeps the store from making a file of rows: folders stand in the places of the next files.
    private func blockNewFiles() throws -> [URL] {
        try (0..<200).map { number in
            let name = String(format: "%06d.sst", number)
            let url = URL(fileURLWithPath: folder.path + "/rows/" + name)
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
            return url
        }
    }
}
