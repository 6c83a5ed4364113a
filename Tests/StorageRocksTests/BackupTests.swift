import Backups
import Foundation
import Storage
import StorageRocks
import StorageSuite
import Synchronization
import Testing

@Suite struct BackupTests {
    private let ann = Partition("ann")
    private let folder = TemporaryFolder()
    /// A time with a whole second.
    private let now: Int64 = 1_795_651_200_000

    private var data: String { folder.path + "/data" }
    private var kept: String { folder.path + "/kept" }

    private func store(keeping kept: Int = 3, free: UInt64? = nil) throws -> RocksStore {
        var options = RocksOptions.small
        options.backups = BackupOptions(folder: self.kept, kept: kept, version: "1.2.3")
        if let free { options.freeBytes = { free } }
        return try RocksStore(folder: data, options)
    }

    private func begin(_ store: RocksStore, at now: Int64) throws -> (any BackupMaking)? {
        try #require(store.backups).begin(at: now) { (_) throws(StorageError) in [] }
    }

    @discardableResult
    private func make(_ store: RocksStore, at now: Int64) throws -> BackupEntry {
        let making = try #require(try begin(store, at: now))
        while true {
            if let entry = try making.step(at: now).entry { return entry }
        }
    }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: kept).sorted() }
    }

    @Test func aBackupIsTheStoreAsItWas() throws {
        let store = try store()
        try store.put([Row("a", "1")], in: ann)
        let entry = try make(store, at: now)
        try store.put([Row("a", "2")], in: ann)
        store.close()
        #expect(entry.name == "20261126T000000Z")
        #expect(entry.version == "1.2.3")
        let contents = try BackupContents(at: "\(kept)/\(entry.name)")
        let copy = try RestoredFolder(folder.path + "/copy")
        try copy.check(contents.manifest)
        try contents.read(copyingTo: copy.target)
        try copy.finish(contents.manifest)
        let again = try RocksStore(folder: folder.path + "/copy", .small)
        defer { again.close() }
        #expect(try again.text(ann.key("a")) == "1")
        #expect(again.restored == entry.name)
        try again.forgetRestore()
        #expect(again.restored == nil)
    }

    @Test func asManyAreKeptAsAreSet() throws {
        let store = try store(keeping: 2)
        defer { store.close() }
        for second in 0..<4 { try make(store, at: now + Int64(second) * 1_000) }
        #expect(try names == ["20261126T000002Z", "20261126T000003Z"])
        #expect(store.backups?.all.map(\.name) == (try names))
    }

    @Test func severalInOneSecondHaveNamesOfTheirOwnInTheirOrder() throws {
        let store = try store(keeping: 9)
        defer { store.close() }
        let made = try [0, 0, 999, 1_000].map { try make(store, at: now + $0) }
        #expect(made.map(\.name) == (0..<4).map { "20261126T00000\($0)Z" })
        #expect(made.map(\.timeMs) == [now, now, now + 999, now + 1_000])
        #expect(store.backups?.all.map(\.name) == made.map(\.name))
    }

    @Test func oneThatIsReadIsKeptForTenMinutes() throws {
        let store = try store(keeping: 1)
        defer { store.close() }
        let backups = try #require(store.backups)
        let first = try make(store, at: now)
        let text = try backups.read(
            BackupManifest.file, of: first.name, offset: 0, count: 1 << 20, at: now + 1_000)
        #expect(text.map { FileSum.text(of: $0) } == first.sum)
        try make(store, at: now + BackupLimits.leaseMilliseconds)
        #expect(backups.all.count == 2)
        try make(store, at: now + BackupLimits.leaseMilliseconds + 2_000)
        #expect(backups.all.count == 1)
    }

    @Test func oneIsMadeAtATimeUnlessItsMakerHasGone() throws {
        let store = try store()
        defer { store.close() }
        let first = try #require(try begin(store, at: now))
        _ = try first.step(at: now)
        #expect(try begin(store, at: now + BackupLimits.idleMilliseconds) == nil)
        let late = now + BackupLimits.idleMilliseconds + 1_000
        try make(store, at: late)
        #expect(throws: StorageError(.unavailable, "")) { try first.step(at: late) }
        #expect(try names.count == 1)
    }

    @Test func oneThatIsGivenUpLeavesNothing() throws {
        let store = try store()
        defer { store.close() }
        let making = try #require(try begin(store, at: now))
        _ = try making.step(at: now)
        #expect(try names == ["20261126T000000Z.new"])
        making.abandon()
        #expect(try names.isEmpty)
        #expect(store.backups?.gauges.isUnderWay == false)
        #expect(store.backups?.gauges.failures == 0)
    }

    @Test func whatAKillLeftIsRemovedAtTheNextStart() throws {
        let first = try store()
        let making = try #require(try begin(first, at: now))
        _ = try making.step(at: now)
        first.close()
        let again = try store()
        defer { again.close() }
        #expect(try names.isEmpty)
        #expect(again.backups?.all == [])
    }

    @Test func oneThatWouldTakeTheReserveIsNotBegun() throws {
        let store = try store(free: 1_000)
        defer { store.close() }
        let making = try #require(try begin(store, at: now))
        let error = try #require(throws: StorageError.self) { _ = try making.step(at: now) }
        #expect(error.code == .diskLow)
        #expect(error.message.contains("a backup needs"), "\(error)")
        #expect(try names.isEmpty)
        #expect(store.backups?.gauges.failures == 1)
    }

    @Test func sumsOfFilesThatBothHaveAreNotMadeAgain() throws {
        let store = try store()
        defer { store.close() }
        for number in 0..<2_000 { try store.put([Row("a\(number)", "1")], in: ann) }
        try make(store, at: now)
        let making = try #require(try begin(store, at: now + 1_000))
        // The first step lists the files, and knows the sums of those of rows.
        #expect(try making.step(at: now + 1_000).bytes > 0)
        making.abandon()
    }

    @Test func otherFilesOfTheFolderAreLeftAlone() throws {
        try FileManager.default.createDirectory(
            atPath: kept + "/20261126T000000Z", withIntermediateDirectories: true)
        try Data("mine".utf8).write(to: URL(fileURLWithPath: kept + "/letter"))
        let store = try store(keeping: 1)
        defer { store.close() }
        #expect(store.backups?.all == [])
        try make(store, at: now + 5_000)
        #expect(try names == ["20261126T000000Z", "20261126T000005Z", "letter"])
    }
}

@Suite struct UpgradeTests {
    private let ann = Partition("ann")
    private let folder = TemporaryFolder()

    private func format() throws -> String {
        try String(contentsOfFile: folder.path + "/FORMAT", encoding: .utf8)
    }

    /// A store of the format before, with one row.
    private func makeOld() throws {
        let store = try RocksStore(folder: folder.path, .small)
        try store.put([Row("a", "1")], in: ann)
        store.close()
        try Data("relation-chain store, format 5\n".utf8).write(
            to: URL(fileURLWithPath: folder.path + "/FORMAT"))
    }

    private func open(
        _ notes: Notes, steps: [FormatStep], backups: Bool = true
    ) throws -> RocksStore {
        var options = RocksOptions.small
        options.formatSteps = steps
        options.onUpgrade = { notes.add($0) }
        if backups { options.backups = BackupOptions(folder: folder.path + "/backups", kept: 1) }
        return try RocksStore(folder: folder.path, options)
    }

    /// A step of three parts; the third one fails so often.
    private func step(failing failures: Int = 0) -> FormatStep {
        let left = Mutex(failures)
        return FormatStep(to: 6, touching: [ann]) {
            [ann] (last, transaction) throws(StorageError) in
            let number = UInt8(last.count)
            let fails =
                number == 2
                && left.withLock { left in
                    left -= 1
                    return left >= 0
                }
            if fails { throw StorageError(.failed, "the step fails") }
            transaction.set(ann.key("b\(number)"), "2")
            return number == 2 ? nil : last + [number]
        }
    }

    @Test func anOlderFolderIsSavedAndUpgradedInParts() throws {
        try makeOld()
        let notes = Notes()
        let store = try open(notes, steps: [step()])
        defer { store.close() }
        let saved = try #require(store.backups?.all.first)
        #expect(
            notes.all == [
                .savesFirst(format: 5), .saved(saved.name), .reached(format: 6, parts: 1),
                .reached(format: 6, parts: 2), .reached(format: 6, parts: 3), .ended(format: 6),
            ])
        #expect(saved.format == "relation-chain store, format 5")
        #expect(try format() == "relation-chain store, format 6\n")
        for key in ["a", "b0", "b1", "b2"] { #expect(try store.text(ann.key(key)) != nil) }
        // It is for a rollback, so no newer backup drives it out.
        let later = saved.timeMs + 5_000
        let making = try #require(
            store.backups?.begin(at: later) { (_) throws(StorageError) in [] })
        while try making.step(at: later).entry == nil {}
        let formats = store.backups?.all.map(\.format)
        #expect(formats == [saved.format, "relation-chain store, format 6"])
    }

    @Test func oneThatFailedGoesOnWithoutAnotherBackup() throws {
        try makeOld()
        let steps = [step(failing: 1)]
        #expect(throws: StorageError(.failed, "")) { try open(Notes(), steps: steps) }
        #expect(try format() == "relation-chain store, format 5, on its way to 6\n")
        let notes = Notes()
        let store = try open(notes, steps: steps)
        defer { store.close() }
        #expect(notes.all.first == .reached(format: 6, parts: 1))
        #expect(store.backups?.all.count == 1)
        #expect(try format() == "relation-chain store, format 6\n")
    }

    @Test func withoutAPlaceForTheBackupNothingIsChanged() throws {
        try makeOld()
        let error = try #require(throws: StorageError.self) {
            try open(Notes(), steps: [step()], backups: false)
        }
        #expect(error.code == .foreign)
        #expect(error.message.contains("relationd serve upgrades it to format 6"), "\(error)")
        #expect(try format() == "relation-chain store, format 5\n")
    }
}

/// The notes of an upgrade.
private final class Notes: Sendable {
    private let list = Mutex<[UpgradeNote]>([])

    var all: [UpgradeNote] { list.withLock { $0 } }

    func add(_ note: UpgradeNote) {
        list.withLock { $0.append(note) }
    }
}
