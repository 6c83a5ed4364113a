import Foundation
import Storage
import StorageSuite
import Testing

@testable import StorageRocks

/// The files of rows that the system reads into its memory after an opening.
@Suite struct ReadaheadTests {
    private let ann = Partition("ann")
    private let folder = TemporaryFolder()
    private let piece = Limits.readaheadPieceBytes

    private func write(_ name: String, _ bytes: Int) throws -> String {
        let path = "\(folder.path)/\(name)"
        try Data(repeating: 7, count: bytes).write(to: URL(fileURLWithPath: path))
        return path
    }

    /// Has the system write a file out, and forget what it keeps of it.
    private func forget(_ path: String) {
        let file = open(path, O_RDONLY)
        defer { close(file) }
        fsync(file)
        posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED)
    }

    /// How many pages of a file the system has in its memory.
    private func pages(of path: String, _ bytes: Int) throws -> Int {
        let file = open(path, O_RDONLY)
        defer { close(file) }
        let start = try #require(mmap(nil, bytes, PROT_READ, MAP_SHARED, file, 0))
        defer { munmap(start, bytes) }
        var found = [UInt8](repeating: 0, count: (bytes + 4_095) / 4_096)
        try #require(mincore(start, bytes, &found) == 0)
        return found.count { $0 & 1 == 1 }
    }

    @Test func allFilesOfRowsAreReadAndNoOthers() throws {
        let bytes = 3 * piece + 100
        let old = try write("000007.sst", bytes)
        let new = try write("000012.sst", 300)
        let log = try write("000013.log", bytes)
        for path in [old, new, log] { forget(path) }
        let unread = try pages(of: log, bytes)
        #expect(Readahead.read(folder.path, atMost: .max) { true } == bytes + 300)
        #expect(try pages(of: old, bytes) == (bytes + 4_095) / 4_096)
        #expect(try pages(of: log, bytes) == unread)
    }

    @Test func noMoreIsReadThanTheBound() throws {
        _ = try write("000007.sst", 3 * piece)
        _ = try write("000012.sst", 300)
        // The newest file is the first.
        for bound in [0, 299, 300, 301, piece, 3 * piece + 299] {
            #expect(Readahead.read(folder.path, atMost: bound) { true } == bound)
        }
    }

    @Test func aStopEndsItBeforeTheNextPiece() throws {
        _ = try write("000007.sst", 5 * piece)
        // Asked for the file, and for each piece of it.
        var asked = 0
        let count = Readahead.read(folder.path, atMost: .max) {
            asked += 1
            return asked <= 3
        }
        #expect(count == 2 * piece)
        #expect(asked == 4)
    }

    @Test func aFolderThatIsNotThereHasNothingToRead() {
        #expect(Readahead.read("\(folder.path)/none", atMost: .max) { true } == 0)
    }

    @Test func aStoreThatIsOpenedIsReadUpToTheBound() throws {
        var store = try RocksStore(folder: folder.path, .small)
        try store.put((0..<1_000).map { Row("\($0)", "\($0 * $0)") }, in: ann)
        try store.flush()
        let bytes = Int(store.gauges().diskBytes)
        store.close()
        #expect(bytes > 1_000)
        for (bound, read) in [(Int.max, bytes), (1_000, 1_000), (0, 0)] {
            var options = RocksOptions.small
            options.readaheadBytes = bound
            store = try RocksStore(folder: folder.path, options)
            #expect(store.readahead.wait() == read)
            store.close()
        }
    }
}
