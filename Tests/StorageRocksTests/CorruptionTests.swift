import Foundation
import Storage
import StorageRocks
import StorageSuite
import Testing

@Suite struct CorruptionTests {
    private let ann = Partition("ann")
    private let folder = TemporaryFolder()

    /// Flips one byte at a time, anywhere in the files of rows: each read returns the rows as they
    /// were written, or throws an error that says so.
    @Test(arguments: [true, false])
    func aFlippedByteIsFoundAndNeverReturnedAsData(_ byKey: Bool) throws {
        let seed = UInt64(20)
        var numbers = SeededNumbers(seed: seed)
        let wanted = try fill(&numbers)
        let files = try rowFiles(of: folder)
        try #require(files.count == 3, "seed \(seed)")

        var found = 0
        for round in 0..<20 {
            // A copy, since opening a store may merge its files.
            let copy = TemporaryFolder()
            for name in ["FORMAT", "rows"] {
                try FileManager.default.copyItem(
                    atPath: folder.path + "/" + name, toPath: copy.path + "/" + name)
            }
            let file = try rowFiles(of: copy)[Int.random(in: 0..<3, using: &numbers)]
            var bytes = try Data(contentsOf: file)
            let offset = Int.random(in: 0..<bytes.count, using: &numbers)
            bytes[offset] ^= UInt8.random(in: 1...255, using: &numbers)
            try bytes.write(to: file)
            do {
                let rows = try readAll(wanted.map(\.suffix), in: copy, byKey: byKey)
                #expect(rows == wanted, "seed \(seed), round \(round), byte \(offset)")
            } catch let error as StorageError {
                #expect(error.code == .corrupted, "seed \(seed), round \(round): \(error)")
                found += 1
            }
        }
        // The rest hit a byte that no read needs, such as a file's statistics.
        #expect(found >= 17, "seed \(seed)")
        #expect(try readAll(wanted.map(\.suffix), in: folder, byKey: byKey) == wanted)
    }

    @Test func aFileCutShortIsFound() throws {
        var numbers = SeededNumbers(seed: 21)
        let wanted = try fill(&numbers)
        let file = try #require(try rowFiles(of: folder).first)
        let bytes = try Data(contentsOf: file)
        try bytes.prefix(bytes.count / 2).write(to: file)
        #expect(throws: StorageError(.corrupted, "")) {
            try readAll(wanted.map(\.suffix), in: folder, byKey: false)
        }
    }

    @Test func aMissingFileIsFound() throws {
        var numbers = SeededNumbers(seed: 22)
        let wanted = try fill(&numbers)
        try FileManager.default.removeItem(at: try #require(try rowFiles(of: folder).first))
        #expect(throws: StorageError(.corrupted, "")) {
            try readAll(wanted.map(\.suffix), in: folder, byKey: false)
        }
    }

    /// Rows in three files, none of them in the log alone.
    private func fill(_ numbers: inout SeededNumbers) throws -> [Row] {
        let store = try open(folder)
        let rows = (10_000..<13_000).map { number in
            Row("\(number)", (0..<6).map { _ in String(numbers.next()) }.joined())
        }
        for start in stride(from: 0, to: rows.count, by: 1000) {
            try store.put(Array(rows[start..<start + 1000]), in: ann)
            try store.flush()
        }
        store.close()
        return rows
    }

    /// Every row, by its key or by a scan.
    private func readAll(
        _ suffixes: [[UInt8]], in folder: TemporaryFolder, byKey: Bool
    ) throws -> [Row] {
        let store = try open(folder)
        defer { store.close() }
        guard byKey else { return try store.rows(KeyRange(all: ann)) }
        let values = try store.read { (transaction) throws(StorageError) in
            try transaction.values(suffixes.map { Key(ann, suffix: $0) })
        }
        return zip(suffixes, values).compactMap { suffix, value in
            value.map { Row(suffix: suffix, value: $0) }
        }
    }

    /// Opens a store with levels so large that three files are not yet worth merging.
    private func open(_ folder: TemporaryFolder) throws(StorageError) -> RocksStore {
        var options = RocksOptions.small
        options.writeBufferBytes = 1 << 20
        options.levelBaseBytes = 64 << 20
        return try RocksStore(folder: folder.path, options)
    }

    private func rowFiles(of folder: TemporaryFolder) throws -> [URL] {
        let rows = URL(fileURLWithPath: folder.path + "/rows")
        return try FileManager.default.contentsOfDirectory(
            at: rows, includingPropertiesForKeys: nil
        ).filter { $0.pathExtension == "sst" }.sorted { $0.path < $1.path }
    }
}
