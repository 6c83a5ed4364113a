import Foundation
import Storage
import StorageRocks
import StorageSuite
import Testing

@Suite struct DataFolderTests {
    private let ann = Partition("ann")
    private let folder = TemporaryFolder()

    @Test func aSecondStoreOnAFolderIsRefused() throws {
        let first = try RocksStore(folder: folder.path, .small)
        #expect(throws: StorageError(.locked, "")) {
            try RocksStore(folder: folder.path, .small)
        }
        try first.put([Row("a", "1")], in: ann)
        first.close()
        let second = try RocksStore(folder: folder.path, .small)
        #expect(try second.text(ann.key("a")) == "1")
        second.close()
    }

    @Test func aFolderIsLockedWithoutTheEnginesLockAndByEveryPath() throws {
        let first = try RocksStore(folder: folder.path, .small)
        defer { first.close() }
        let other = TemporaryFolder()
        let link = other.path + "/link"
        try FileManager.default.createSymbolicLink(
            atPath: link, withDestinationPath: folder.path)
        try FileManager.default.removeItem(atPath: folder.path + "/rows/LOCK")
        for path in [folder.path, link, folder.path + "/../" + folderName] {
            #expect(throws: StorageError(.locked, "")) { try RocksStore(folder: path, .small) }
        }
    }

    @Test(arguments: ["", "/rows", "/rows/CURRENT"])
    func whatIsMovedAwayWhileTheStoreIsOpenIsAnErrorThatStays(_ part: String) throws {
        let store = try RocksStore(folder: folder.path + "/data", .small)
        defer { store.close() }
        try store.put([Row("a", "1")], in: ann)
        store.checkForFailures()
        #expect(store.failure.found == nil)
        let path = folder.path + "/data" + part
        try FileManager.default.moveItem(atPath: path, toPath: folder.path + "/away")
        store.checkForFailures()
        let failure = try #require(store.failure.found)
        #expect(failure.code == .unavailable)
        #expect(failure.message.contains(path), "\(failure)")
        #expect(throws: StorageError(.stopped, "")) { try store.put([Row("a", "2")], in: ann) }
        #expect(try store.text(ann.key("a")) == "1")
        // The engine may have missed its files meanwhile.
        try FileManager.default.moveItem(atPath: folder.path + "/away", toPath: path)
        #expect(store.failure.found != nil)
    }

    @Test func aFolderThatIsGoneIsNotAFullDisk() throws {
        let store = try RocksStore(folder: folder.path + "/data", .small)
        defer { store.close() }
        try FileManager.default.removeItem(atPath: folder.path + "/data")
        let error = try #require(throws: StorageError.self) {
            try store.put([Row("a", "1")], in: ann)
        }
        #expect(error.code == .stopped)
        #expect(error.message.contains("is gone"), "\(error)")
    }

    @Test func aMissingFolderIsMadeWithThoseAboveIt() throws {
        let path = folder.path + "/above/data"
        try RocksStore(folder: path, .small).close()
        #expect(FileManager.default.fileExists(atPath: path + "/FORMAT"))
    }

    @Test func aFolderOfOtherFilesIsRefusedAndLeftAlone() throws {
        try write("holiday", to: "photo.jpeg")
        let error = try #require(throws: StorageError.self) {
            try RocksStore(folder: folder.path, .small)
        }
        #expect(error.code == .foreign)
        #expect(error.message.contains("photo.jpeg"))
        #expect(try names() == ["photo.jpeg"])
    }

    @Test(arguments: [
        "relation-chain store, format 2\n", "relation-chain store, format 7\n", "",
        "something else",
    ])
    func anotherFormatIsRefused(_ text: String) throws {
        try RocksStore(folder: folder.path, .small).close()
        try write(text, to: "FORMAT")
        #expect(throws: StorageError(.foreign, "")) {
            try RocksStore(folder: folder.path, .small)
        }
    }

    @Test func theFormatBeforeIsRefusedInWordsAndLeftAlone() throws {
        let store = try RocksStore(folder: folder.path, .small)
        try store.put([Row("a", "1")], in: ann)
        store.close()
        let present = try String(contentsOfFile: folder.path + "/FORMAT", encoding: .utf8)
        #expect(present == "relation-chain store, format 6\n")
        try write("relation-chain store, format 4\n", to: "FORMAT")
        let error = try #require(throws: StorageError.self) {
            try RocksStore(folder: folder.path, .small)
        }
        #expect(error.code == .foreign)
        #expect(
            error.message.hasSuffix(
                "holds another format: relation-chain store, format 4; this program reads formats "
                    + "5 to 6. Serve it with the versions between first, one after another"),
            "\(error)")
        #expect(error.message.contains(folder.path))
        try write(present, to: "FORMAT")
        let again = try RocksStore(folder: folder.path, .small)
        #expect(try again.text(ann.key("a")) == "1")
        again.close()
    }

    @Test func aFileInPlaceOfTheFolderIsRefused() throws {
        try write("", to: "file")
        #expect(throws: StorageError(.foreign, "")) {
            try RocksStore(folder: folder.path + "/file", .small)
        }
    }

    // The superuser may write to any folder, so the test cannot use permissions.
    @Test func aFolderThatCannotBeMadeIsRefusedWithTheReason() throws {
        try write("", to: "file")
        let path = folder.path + "/file/data"
        let error = try #require(throws: StorageError.self) { try RocksStore(folder: path, .small) }
        #expect(error.code == .failed)
        #expect(error.message.contains(path))
        #expect(error.message.contains("Not a directory"))
    }

    @Test func aStoreWhoseMakingWasCutShortIsMadeAgain() throws {
        try write("relation-ch", to: "FORMAT.new")
        let store = try RocksStore(folder: folder.path, .small)
        try store.put([Row("a", "1")], in: ann)
        store.close()
        #expect(try names() == ["FORMAT", "MARK", "rows"])
    }

    @Test(arguments: ["rows", "rows/CURRENT"])
    func aStoreWithoutItsFilesIsNotMadeAnew(_ gone: String) throws {
        try RocksStore(folder: folder.path, .small).close()
        try FileManager.default.removeItem(atPath: folder.path + "/" + gone)
        #expect(throws: StorageError(.corrupted, "")) {
            try RocksStore(folder: folder.path, .small)
        }
    }

    private var folderName: String { URL(fileURLWithPath: folder.path).lastPathComponent }

    private func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: folder.path + "/" + name))
    }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }
}
