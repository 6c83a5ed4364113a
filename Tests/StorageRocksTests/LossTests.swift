import Foundation
import Storage
import StorageSuite
import Testing

@testable import StorageRocks

/// Losses at rest are found, and writes that were never promised are not missed.
@Suite struct LossTests {
    private let ann = Partition("ann")
    private let folder = TemporaryFolder()

    /// The damage to a log: it is removed, cut or damaged, and some of 763 writes are lost.
    enum Damage: CaseIterable {
        case removed, emptied, cut, flipped
    }

    @Test(arguments: Damage.allCases)
    func aDamagedLogIsReportedInNumbersAndTheStoreStaysAsItWas(_ damage: Damage) throws {
        let store = try filled(763)
        defer { store.close() }
        store.mark()
        let copy = try killed()
        let log = try log(of: copy)
        let bytes = try Data(contentsOf: log)
        // The engine's own journal and its lists of files are not touched either.
        switch damage {
        case .removed: try FileManager.default.removeItem(at: log)
        case .emptied: try Data().write(to: log)
        case .cut: try bytes.prefix(bytes.count / 2).write(to: log)
        case .flipped: try flip(log, at: bytes.count / 2)
        }
        let before = try contents(of: copy)

        let error = try #require(throws: StorageError.self) { try open(copy) }
        #expect(error.code == .lostWrites)
        // For a removed log the number of lost writes is exact; otherwise the number of changes
        // bounds it.
        let most = try #require(error.message.firstMatch(of: /at most (\d+) writes/))
        let number = try #require(Int(most.1))
        let isWhole = damage == .removed || damage == .emptied
        #expect(isWhole ? number == 763 : number > 763 / 3 && number <= 763, "\(error)")
        #expect(error.message.contains(log.lastPathComponent), "\(error)")
        #expect(try contents(of: copy) == before)
        // A second attempt to open it fails in the same way.
        #expect(throws: StorageError(.lostWrites, "")) { try open(copy) }
    }

    @Test func aLossIsCountedFromTheLastStateThatIsWhollyThere() throws {
        let store = try filled(100)
        defer { store.close() }
        store.mark()
        let size = try Data(contentsOf: log(of: folder)).count
        try fill(store, 100..<150)
        store.mark()
        let copy = try killed()
        let log = try log(of: copy)
        try Data(contentsOf: log).prefix(size + 1).write(to: log)
        let error = try #require(throws: StorageError.self) { try open(copy) }
        #expect(error.message.contains("at most 50 writes"), "\(error)")
    }

    @Test func anyByteThatIsFlippedInALogIsFound() throws {
        let store = try filled(40)
        defer { store.close() }
        store.mark()
        let size = try Data(contentsOf: log(of: folder)).count
        try #require(size < LogReader.blockBytes)
        var numbers = SeededNumbers(seed: 7)
        for round in 0..<30 {
            let copy = try killed()
            let offset = Int.random(in: 0..<size, using: &numbers)
            try flip(log(of: copy), at: offset)
            let error = try #require(throws: StorageError.self, "round \(round), \(offset)") {
                try open(copy)
            }
            #expect(error.code == .lostWrites, "round \(round), byte \(offset): \(error)")
        }
    }

    @Test func damageBeforeWholeRecordsIsFoundWithoutAMark() throws {
        let store = try filled(20)
        defer { store.close() }
        // The mark was made when the store was opened, so it knows of no write.
        let copy = try killed()
        try flip(log(of: copy), at: 100)
        let error = try #require(throws: StorageError.self) { try open(copy) }
        #expect(error.code == .lostWrites)
        #expect(error.message.contains("damaged or ends at byte"), "\(error)")
    }

    /// Shows the limit of the losses that are noticed, so that the documents are true.
    @Test func whatIsCutOffAndYoungerThanTheMarkGoesUnnoticed() throws {
        let store = try filled(20)
        defer { store.close() }
        store.mark()
        let size = try Data(contentsOf: log(of: folder)).count
        try fill(store, 20..<30)
        let copy = try killed()
        let log = try log(of: copy)
        try Data(contentsOf: log).prefix(size).write(to: log)
        #expect(try count(copy) == 40)
    }

    @Test func anAcceptedLossIsRememberedUntilTheRowsTellOfIt() throws {
        let store = try filled(30)
        store.mark()
        let copy = try killed()
        store.close()
        try FileManager.default.removeItem(at: log(of: copy))
        let accepted = try open(copy, acceptsLoss: true)
        let loss = try #require(accepted.loss)
        #expect(loss.mostWrites == 30)
        #expect(loss.sinceMs > 0 && loss.sinceMs <= loss.untilMs && loss.untilMs <= loss.foundMs)
        #expect(accepted.notices.count == 1)
        try fill(accepted, 0..<5)
        accepted.close()

        // Nothing more is missing, and the earlier loss is not forgotten.
        let again = try open(copy)
        #expect(again.loss == loss)
        #expect(again.notices == [])
        again.forgetLoss()
        again.close()
        let last = try open(copy)
        #expect(last.loss == nil)
        #expect(try last.rows(KeyRange(all: ann)).count == 10)
        last.close()
    }

    @Test func acceptingWhereNothingIsMissingChangesNothing() throws {
        try filled(10).close()
        let store = try open(folder, acceptsLoss: true)
        defer { store.close() }
        #expect(store.loss == nil)
        #expect(store.notices == [])
    }

    /// Simulates power cuts: any part may be there of the last commit, which no caller knows of.
    ///
    /// `make simulate` has more of them, from new seeds.
    @Test func aPowerCutThatLostOnlyWhatWasNotAcknowledgedIsNotReported() throws {
        let environment = ProcessInfo.processInfo.environment
        let seed = environment["RELATION_SEED"].flatMap { UInt64($0) } ?? 11
        var numbers = SeededNumbers(seed: seed)
        for round in 0..<(environment["POWER_CUTS"].flatMap { Int($0) } ?? 40) {
            let own = TemporaryFolder()
            let store = try open(own)
            defer { store.close() }
            let kept = Int.random(in: 0..<30, using: &numbers)
            try fill(store, 0..<kept)
            store.mark()
            let before = try kept == 0 ? 0 : Data(contentsOf: log(of: own)).count
            // The value is so long that it sometimes takes several blocks.
            let value = String(repeating: "v", count: Int.random(in: 1..<90_000, using: &numbers))
            try store.put([Row("last", value), Row("last2", "")], in: ann)
            let copy = try killed(own)
            let log = try log(of: copy)
            var bytes = try Data(contentsOf: log)
            switch round % 3 {
            case 0: bytes = bytes.prefix(Int.random(in: before...bytes.count, using: &numbers))
            case 1:
                let from = Int.random(in: before..<bytes.count, using: &numbers)
                bytes.replaceSubrange(from..., with: Data(count: bytes.count - from))
            default:
                // The pages may have been written in any order.
                for page in stride(from: before & ~4095, to: bytes.count, by: 4096)
                where Bool.random(using: &numbers) {
                    let range = max(page, before)..<min(page + 4096, bytes.count)
                    bytes.replaceSubrange(range, with: Data(count: range.count))
                }
            }
            try bytes.write(to: log)
            #expect(try count(copy, from: "row") == 2 * kept, "seed \(seed), round \(round)")
        }
    }

    @Test func aStoreThatDoesNotSyncPromisesNothing() throws {
        var options = synced
        options.sync = false
        let store = try RocksStore(folder: folder.path, options)
        try fill(store, 0..<50)
        store.mark()
        let copy = try killed()
        store.close()
        try FileManager.default.removeItem(at: log(of: copy))
        #expect(try count(copy) == 0)
    }

    @Test func aStopWritesTheMarkLast() throws {
        try filled(10).close()
        guard case .mark(let mark) = try MarkFile.read(folder.path + "/MARK") else {
            Issue.record("there is no mark")
            return
        }
        #expect(mark.newest.sequence == 20)
        #expect(mark.newest.writes == 10)
    }

    @Test func rowsThatAreOlderThanTheMarkAreALoss() throws {
        try filled(10).close()
        // The store is opened once more, so that all rows are in files and no log holds them.
        try open(folder).close()
        let old = try killed()
        let store = try open(folder)
        try fill(store, 10..<20)
        try store.flush()
        store.close()
        try open(folder).close()
        // The rows of an old copy stand beside the present mark.
        let mixed = try killed()
        try swap("rows", of: mixed, old)
        let error = try #require(throws: StorageError.self) { try open(mixed) }
        #expect(error.code == .lostWrites)
        #expect(error.message.contains("at most 10 writes"), "\(error)")
        // With the present rows beside the old mark nothing is missing.
        try swap("rows", of: old, folder)
        #expect(try count(old) == 40)
    }

    @Test func aStoreThatNeverHadAMarkGetsOneWithoutAWord() throws {
        try filled(10).close()
        try FileManager.default.removeItem(atPath: folder.path + "/MARK")
        let store = try open(folder)
        #expect(store.notices == [])
        try fill(store, 10..<20)
        store.mark()
        let copy = try killed()
        store.close()
        try FileManager.default.removeItem(at: log(of: copy))
        let error = try #require(throws: StorageError.self) { try open(copy) }
        #expect(error.message.contains("at most 10 writes"), "\(error)")
    }

    @Test func aDamagedMarkIsReported() throws {
        try filled(10).close()
        let path = folder.path + "/MARK"
        let mark = URL(fileURLWithPath: path)
        // Either half of the mark is enough.
        try flip(mark, at: 20)
        try open(folder).close()
        try flip(mark, at: Mark.bytes + 20)
        try open(folder).close()
        try flip(mark, at: 20)
        try flip(mark, at: Mark.bytes + 20)
        let error = try #require(throws: StorageError.self) { try open(folder) }
        #expect(error.code == .lostWrites)
        #expect(error.message.contains(path))
        let store = try open(folder, acceptsLoss: true)
        #expect(try #require(store.loss).mostWrites == 0)
        store.close()
        try open(folder).close()
    }

    @Test(arguments: ["rows", "rows/CURRENT", "rows/MANIFEST", "rows/sst"])
    func filesThatAreMissingAreDamageAndNoLossOfTheLog(_ part: String) throws {
        let store = try filled(10)
        try store.flush()
        store.close()
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        for name in names
        where name == part || name.hasPrefix(part + "-")
            || part == "rows/sst" && name.hasSuffix(".sst")
        {
            try FileManager.default.removeItem(atPath: folder.path + "/" + name)
        }
        let error = try #require(throws: StorageError.self) { try open(folder) }
        #expect(error.code == .corrupted, "\(error)")
    }

    /// The engine opens some lists of files that were cut as if they had never been longer; no rows
    /// may be lost by that without an error.
    @Test(arguments: [true, false])
    func aDamagedListOfFilesNeverLosesRowsWithoutAWord(_ isCut: Bool) throws {
        let seed = UInt64(31)
        var numbers = SeededNumbers(seed: seed)
        let store = try open(folder)
        for round in 0..<6 {
            try fill(store, round * 10..<round * 10 + 10)
            try store.flush()
        }
        store.close()
        var refused = 0
        for round in 0..<20 {
            let copy = try killed()
            let names = try FileManager.default.contentsOfDirectory(atPath: copy.path + "/rows")
            let name = try #require(names.first { $0.hasPrefix("MANIFEST-") })
            let list = URL(fileURLWithPath: copy.path + "/rows/" + name)
            let bytes = try Data(contentsOf: list)
            let offset = Int.random(in: 0..<bytes.count, using: &numbers)
            if isCut {
                try bytes.prefix(offset).write(to: list)
            } else {
                try flip(list, at: offset)
            }
            do {
                #expect(try count(copy) == 120, "seed \(seed), round \(round), byte \(offset)")
            } catch let error as StorageError {
                let isKnown = error.code == .corrupted || error.code == .lostWrites
                #expect(isKnown, "seed \(seed), round \(round), byte \(offset): \(error)")
                refused += 1
            }
        }
        #expect(refused >= 15, "seed \(seed)")
    }

    // MARK: Helpers

    private var synced: RocksOptions {
        var options = RocksOptions.small
        options.sync = true
        options.writeBufferBytes = 8 << 20
        return options
    }

    private func open(
        _ folder: TemporaryFolder, acceptsLoss: Bool = false
    ) throws(StorageError) -> RocksStore {
        close(folder)
        var options = synced
        options.acceptsLoss = acceptsLoss
        return try RocksStore(folder: folder.path, options)
    }

    private func filled(_ writes: Int) throws -> RocksStore {
        let store = try open(folder)
        try fill(store, 0..<writes)
        return store
    }

    /// Writes of two rows each.
    private func fill(_ store: RocksStore, _ numbers: Range<Int>) throws {
        for number in numbers {
            try store.put([Row("row\(number)", "1"), Row("row\(number)b", "2")], in: ann)
        }
    }

    /// A copy of the folder as a kill would leave it now: nothing is written meanwhile.
    private func killed(_ folder: TemporaryFolder? = nil) throws -> TemporaryFolder {
        let copy = TemporaryFolder()
        defer { close(copy) }
        let (source, manager) = ((folder ?? self.folder).path, FileManager.default)
        for name in ["FORMAT", "MARK"] {
            try manager.copyItem(atPath: source + "/" + name, toPath: copy.path + "/" + name)
        }
        try manager.createDirectory(atPath: copy.path + "/rows", withIntermediateDirectories: false)
        for name in try manager.contentsOfDirectory(atPath: source + "/rows") {
            let path = source + "/rows/" + name
            do {
                try manager.copyItem(atPath: path, toPath: copy.path + "/rows/" + name)
            } catch {
                // After an open, RocksDB deletes what it needs no more on a thread of its own.
                guard !manager.fileExists(atPath: path) else { throw error }
            }
        }
        return copy
    }

    /// Closes the folder to other users, as a server does, so that no notice is given about that
    /// here.
    private func close(_ folder: TemporaryFolder) {
        for path in [folder.path] + ((try? subpaths(of: folder)) ?? []) { chmod(path, 0o700) }
    }

    private func subpaths(of folder: TemporaryFolder) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: folder.path).map {
            folder.path + "/" + $0
        }
    }

    private func swap(_ name: String, of one: TemporaryFolder, _ other: TemporaryFolder) throws {
        let manager = FileManager.default
        let (path, its) = (one.path + "/" + name, other.path + "/" + name)
        try manager.moveItem(atPath: path, toPath: path + ".away")
        try manager.copyItem(atPath: its, toPath: path)
        try manager.removeItem(atPath: path + ".away")
    }

    private func count(_ folder: TemporaryFolder, from prefix: String = "") throws -> Int {
        let store = try open(folder)
        defer { store.close() }
        #expect(store.loss == nil)
        #expect(store.notices == [])
        return try store.rows(KeyRange(all: ann)).filter {
            $0.suffix.starts(with: prefix.utf8)
        }.count
    }

    /// The log that is written to.
    private func log(of folder: TemporaryFolder) throws -> URL {
        let rows = folder.path + "/rows"
        let number = try #require(try LogScan.numbers(in: rows).last)
        return URL(fileURLWithPath: rows + "/" + LogScan.name(number))
    }

    private func flip(_ file: URL, at offset: Int) throws {
        var bytes = try Data(contentsOf: file)
        bytes[offset] ^= 0x40
        try bytes.write(to: file)
    }

    private func contents(of folder: TemporaryFolder) throws -> [String: Data] {
        var contents: [String: Data] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        where !name.contains("/LOG") {
            let url = URL(fileURLWithPath: folder.path + "/" + name)
            if name != "rows" { contents[name] = try Data(contentsOf: url) }
        }
        return contents
    }
}
