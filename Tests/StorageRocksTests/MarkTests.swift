import Foundation
import Storage
import StorageSuite
import Testing

@testable import StorageRocks

@Suite struct MarkTests {
    private let ann = Partition("ann")
    private let folder = TemporaryFolder()

    @Test func aMarkReadsBackAsItWasStoredAndNoChangedOneDoes() throws {
        var mark = Mark(Mark.Point(sequence: 0, writes: 0, timeMs: 1))
        for number in 1...500 {
            mark.add(
                Mark.Point(
                    sequence: UInt64(number), writes: UInt64(number * 2), timeMs: Int64(number)))
        }
        mark.logs = (0..<Limits.markLogs).map { Mark.Log(number: UInt64($0), first: 7) }
        var loss = StoreLoss()
        (loss.mostWrites, loss.sinceMs, loss.untilMs, loss.foundMs) = (1, 2, 3, 4)
        mark.loss = loss
        (mark.number, mark.isSynced) = (9, false)
        let stored = mark.stored
        #expect(stored.count == Mark.bytes)
        #expect(Mark(stored: stored[...]) == mark)
        var numbers = SeededNumbers(seed: 3)
        for _ in 0..<200 {
            var changed = stored
            changed[Int.random(in: 0..<stored.count, using: &numbers)] ^= 1
            #expect(Mark(stored: changed[...]) == nil)
        }
        #expect(Mark(stored: stored.dropLast()) == nil)
        #expect(Mark(stored: [UInt8](repeating: 0, count: Mark.bytes)[...]) == nil)
    }

    @Test func aMarkHoldsAsManyStatesAsItMayAndOldOnesFurtherApart() {
        var mark = Mark(Mark.Point(sequence: 0, writes: 0, timeMs: 0))
        for second in 1...100_000 {
            mark.add(
                Mark.Point(
                    sequence: UInt64(second), writes: UInt64(second), timeMs: Int64(second) * 1000))
        }
        #expect(mark.points.count == Limits.markPoints)
        #expect(mark.points[0].sequence == 0)
        #expect(mark.newest.sequence == 100_000)
        #expect(mark.points.map(\.sequence) == mark.points.map(\.sequence).sorted())
        // A loss that is not empty is counted as at most one and a half times its size.
        for lost in [100, 1_000, 10_000, 50_000] as [UInt64] {
            let point = mark.point(through: 100_000 - lost)
            #expect(100_000 - point.sequence <= lost + lost / 2, "\(lost): \(point)")
        }
    }

    @Test func writesAreCountedAndNotTransactionsOrRows() throws {
        var options = RocksOptions.small
        options.sync = true
        let store = try RocksStore(folder: folder.path, options)
        try store.write(touching: [ann]) { (transaction) throws(StorageError) in
            for operation in 0..<64 {
                let start = transaction.savepoint()
                defer { transaction.endWrites(1) }
                // One operation in four changes nothing, and one in eight is undone.
                guard operation % 4 != 0 else { continue }
                transaction.set(ann.key("a\(operation)"), "1")
                transaction.set(ann.key("b\(operation)"), "1")
                if operation % 8 == 1 { transaction.rollback(to: start) }
            }
        }
        try store.put([Row("c", "1"), Row("d", "1"), Row("e", "1")], in: ann)
        store.close()
        guard case .mark(let mark) = try MarkFile.read(folder.path + "/MARK") else {
            Issue.record("there is no mark")
            return
        }
        #expect(mark.newest.writes == 40 + 1)
        #expect(mark.newest.sequence == 80 + 3)
    }

    @Test func aMarkNamesTheNewestLogsOnly() throws {
        let data = try DataFolder(folder.path)
        try FileManager.default.createDirectory(
            atPath: data.rowsPath, withIntermediateDirectories: false)
        let count = Limits.markLogs + 6
        for number in 1...count {
            // The header of a fragment, and the number of its first change.
            let head: [UInt8] = [0, 0, 0, 0, 0, 0, 1]
            let bytes = Data(head + [UInt8(number)] + [UInt8](repeating: 0, count: 11))
            let path = data.rowsPath + "/" + LogScan.name(UInt64(number))
            try bytes.write(to: URL(fileURLWithPath: path))
        }
        let keeper = try MarkKeeper(Mark(Mark.Point(sequence: 0, writes: 0, timeMs: 1)), data)
        keeper.note(UInt64(count - 1), writes: 1)
        keeper.write()
        guard case .mark(let mark) = try MarkFile.read(data.markPath) else {
            Issue.record("there is no mark")
            return
        }
        // The last log begins behind the changes that are synced.
        #expect(mark.logs.map(\.number) == (6...UInt64(count - 1)).map { $0 })
        keeper.close()
    }

    @Test func aMarkIsWrittenByItselfAfterACommit() throws {
        var options = RocksOptions.small
        options.sync = true
        let store = try RocksStore(folder: folder.path, options)
        defer { store.close() }
        try store.put([Row("a", "1")], in: ann)
        // The wait is bounded, and far longer than the limit, since machines are slow now and then.
        for _ in 0..<200 {
            if case .mark(let mark) = try MarkFile.read(folder.path + "/MARK"),
                mark.newest.sequence == 1
            {
                return
            }
            Thread.sleep(forTimeInterval: 0.1)
        }
        Issue.record("no mark was written within 20 seconds")
    }

    @Test func theChecksumIsTheOneOfTheEngine() {
        var checksum = Checksum()
        "123456789".utf8.withContiguousStorageIfAvailable {
            checksum.add(UnsafeRawBufferPointer($0))
        }
        #expect(checksum.value == 0xE306_9283)
    }
}
