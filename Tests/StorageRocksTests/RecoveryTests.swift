import Foundation
import Storage
import StorageSuite
import Synchronization
import Testing

@testable import StorageRocks

/// The logs that an opening has to read back, and its notices of them.
@Suite struct RecoveryTests {
    private let ann = Partition("ann")
    private let folder = TemporaryFolder()

    @Test func aRecoveryTellsItsBeginningHowFarItIsAndItsEnd() {
        let (shortest, pause) = (
            Limits.shortestRecoveryMilliseconds, Limits.recoveryNoteMilliseconds
        )
        var progress = RecoveryProgress(900, at: 50)
        #expect(progress.note(at: 50 + shortest - 1, reached: 10) == nil)
        #expect(progress.note(at: 50 + shortest, reached: 20) == .began(bytes: 900))
        #expect(progress.note(at: 50 + shortest + pause - 1, reached: 300) == nil)
        let second = 50 + shortest + pause
        #expect(progress.note(at: second, reached: nil) == .reached(bytes: 300, of: 900))
        #expect(progress.note(at: second + pause - 1, reached: 5_000) == nil)
        #expect(progress.note(at: second + pause, reached: 0) == .reached(bytes: 900, of: 900))
        let ended = RecoveryNote.ended(bytes: 900, milliseconds: shortest + 2 * pause + 1)
        #expect(progress.end(at: second + pause + 1) == ended)
    }

    @Test func aRecoveryOfLessThanAMomentTellsNothing() {
        var progress = RecoveryProgress(900, at: 0)
        #expect(progress.note(at: Limits.shortestRecoveryMilliseconds - 1, reached: 899) == nil)
        #expect(progress.end(at: Limits.shortestRecoveryMilliseconds + 1) == nil)
    }

    @Test func whatIsReadBackIsSeenByTheDescriptorsOfTheProcess() throws {
        for (name, size) in [("000007.log", 700), ("000012.log", 300), ("LOG", 50), ("x.log", 9)] {
            try Data(count: size).write(to: URL(fileURLWithPath: folder.path + "/" + name))
        }
        let log = EngineLog(in: folder.path)
        #expect(log.bytes == 1_000)
        #expect(log.reached == nil, "none is open")
        let first = try #require(FileHandle(forReadingAtPath: folder.path + "/000007.log"))
        #expect(try first.read(upToCount: 200)?.count == 200)
        #expect(log.reached == 200)
        let second = try #require(FileHandle(forReadingAtPath: folder.path + "/000012.log"))
        #expect(try second.read(upToCount: 100)?.count == 100)
        #expect(log.reached == 800, "the first is behind it")
        #expect(EngineLog(in: folder.path + "/none").bytes == 0)
    }

    /// The writes are few, more than the buffers hold, removals, none, and writes that a recovery
    /// read back.
    @Test func afterAFlushThereIsNoLogToReadBack() throws {
        let writes: [(RocksStore) throws -> Void] = [
            { _ in },
            { try $0.put([Row("a", "1")], in: self.ann) },
            { _ in },
            { store in
                for number in 0..<2_000 {
                    let row = Row("\(number)", String(repeating: "x", count: 1_000))
                    try store.put([row], in: self.ann)
                }
            },
            { store in
                try store.write(touching: [self.ann]) { (transaction) throws(StorageError) in
                    transaction.remove(self.ann.key("a"))
                }
            },
        ]
        for write in writes {
            var store = try RocksStore(folder: folder.path, .small)
            try write(store)
            try store.flush()
            store.close()
            #expect(EngineLog(in: folder.path + "/rows").bytes == 0)

            store = try RocksStore(folder: folder.path, .small)
            try store.put([Row("later", "1")], in: ann)
            store.close()
            #expect(EngineLog(in: folder.path + "/rows").bytes > 0, "without a flush there is")
        }
    }
}
