internal import Backups
internal import Glibc
internal import Storage
internal import Synchronization

/// The backups of a store, each a folder below one folder.
///
/// ```
/// FOLDER/20261125T235959Z/BACKUP     the list of its files, with their sums
/// FOLDER/20261125T235959Z/FORMAT     as in a data folder
/// FOLDER/20261125T235959Z/rows/      the engine's files
/// FOLDER/20261126T235959Z.new/       one that is not whole
/// ```
///
/// On the device of the data folder, the files of rows are links to the store's own, which the
/// engine never changes. So a backup takes room only for rows that have changed since.
final class RocksBackups: StoreBackups {
    private struct State {
        /// The oldest first.
        var entries: [BackupEntry]
        var making: RocksBackupMaking?
        /// The format of the rows.
        var format: StoreFormat
        var failures = 0
        /// When each backup was read last.
        var reads: [String: Int64] = [:]
    }

    let folder: String
    private let kept: Int
    private let version: String
    private let database: RocksDatabase
    private let readers: RocksReaders
    private let room: BackupRoom
    private let state: Mutex<State>

    /// Finds the backups that are there, and removes what is left of others.
    ///
    /// - Throws: ``StorageError`` with the code `failed` if the folder cannot be made or read.
    init(
        _ options: BackupOptions, of format: StoreFormat, _ database: RocksDatabase,
        _ readers: RocksReaders, _ room: BackupRoom
    ) throws(StorageError) {
        folder = options.folder
        kept = min(max(1, options.kept), BackupLimits.mostKept)
        version = options.version
        self.database = database
        self.readers = readers
        self.room = room
        state = Mutex(State(entries: try Self.found(in: options.folder), format: format))
    }

    var all: [BackupEntry] { state.withLock { $0.entries } }

    var gauges: BackupGauges {
        state.withLock { state in
            var gauges = BackupGauges()
            gauges.count = state.entries.count
            gauges.newestBytes = state.entries.last?.bytes ?? 0
            gauges.newestMs = state.entries.last?.timeMs
            gauges.failures = state.failures
            gauges.isUnderWay = state.making != nil
            return gauges
        }
    }

    func begin(
        at nowMs: Int64,
        counting count:
            @escaping @Sendable (any ReadTransaction) throws(StorageError) ->
            [BackupCounts]
    ) -> (any BackupMaking)? {
        let (making, old) = state.withLock { state -> (RocksBackupMaking?, RocksBackupMaking?) in
            let old = state.making
            if let old, !old.isIdle(at: nowMs) { return (nil, nil) }
            var manifest = BackupManifest()
            (manifest.timeMs, manifest.version) = (nowMs, version)
            // Two in one second: the second one has the name of the next second that is free.
            var timeMs = nowMs
            repeat {
                manifest.name = BackupName.name(ofMilliseconds: timeMs)
                timeMs += 1_000
            } while state.entries.contains { $0.name == manifest.name }
            let making = RocksBackupMaking(manifest, self, count, at: nowMs)
            state.making = making
            return (making, old)
        }
        old?.abandon()
        return making
    }

    func read(
        _ path: String, of name: String, offset: Int64, count: Int, at nowMs: Int64
    ) throws(StorageError) -> [UInt8]? {
        let isThere = state.withLock { state in
            guard state.entries.contains(where: { $0.name == name }) else { return false }
            state.reads[name] = nowMs
            return true
        }
        guard isThere, path == BackupManifest.file || BackupFile.isPath(path) else { return nil }
        let whole = "\(folder)/\(name)/\(path)"
        guard access(whole, F_OK) == 0 else { return nil }
        do throws(BackupError) {
            let file = try OwnFile.reading(whole)
            // The system takes no offset that is far beyond the end.
            guard try offset < file.size() else { return [] }
            try file.seek(to: offset)
            return try file.read(count: count)
        } catch {
            throw StorageError(.failed, error.message)
        }
    }

    /// The format of the rows, which an upgrade changes.
    var format: StoreFormat { state.withLock { $0.format } }

    func setFormat(_ format: StoreFormat) {
        state.withLock { $0.format = format }
    }

    // MARK: For the one that is being made

    /// Makes the engine's copy in `path`.
    ///
    /// - Throws: ``StorageError``: `diskLow` if there is too little room for it.
    func checkpoint(to path: String) throws(StorageError) {
        try readers.enter()
        defer { readers.exit() }
        try room.check(for: folder, database)
        try database.checkpoint(to: path)
    }

    /// The sum of a file that an earlier backup has too, because both are links to one file.
    func knownSums() -> [FileID: String] {
        guard let newest = all.last, let manifest = try? manifest(of: newest.name) else {
            return [:]
        }
        var sums: [FileID: String] = [:]
        for file in manifest.files where file.path.hasSuffix(".sst") {
            guard let id = FileID("\(folder)/\(newest.name)/\(file.path)") else { continue }
            sums[id] = file.sha256
        }
        return sums
    }

    private func manifest(of name: String) throws(BackupError) -> BackupManifest {
        try BackupManifest(
            text: OwnFile.bytes(
                of: "\(folder)/\(name)/\(BackupManifest.file)", atMost: BackupLimits.manifestBytes))
    }

    /// Takes a backup that is whole, and removes those that are too many.
    func add(_ entry: BackupEntry, at nowMs: Int64) {
        let old = state.withLock { state in
            state.making = nil
            state.entries.append(entry)
            // Backups of other formats are for a rollback, and go when a person removes them.
            let own = state.entries.filter { $0.format == state.format.line }
            let tooMany = own.prefix(max(0, own.count - kept)).filter {
                let read = state.reads[$0.name]
                return read.map { $0 + BackupLimits.leaseMilliseconds < nowMs } ?? true
            }
            state.entries.removeAll { entry in tooMany.contains(entry) }
            for entry in tooMany { state.reads[entry.name] = nil }
            return tooMany
        }
        for entry in old { Self.remove("\(folder)/\(entry.name)") }
        removeOldFiles()
    }

    private func removeOldFiles() {
        guard (try? readers.enter()) != nil else { return }
        defer { readers.exit() }
        database.removeOldFiles()
    }

    /// Forgets a backup that did not become whole.
    func drop(_ making: RocksBackupMaking, hasFailed: Bool) {
        state.withLock { state in
            if hasFailed { state.failures += 1 }
            if state.making === making { state.making = nil }
        }
        removeOldFiles()
    }

    // MARK: The folder

    private static func found(in folder: String) throws(StorageError) -> [BackupEntry] {
        guard mkdir(folder, 0o700) == 0 || errno == EEXIST else {
            throw .system("the folder of backups \(folder) cannot be made")
        }
        var entries: [BackupEntry] = []
        for name in try DataFolder.names(in: folder) {
            let path = "\(folder)/\(name)"
            if name.hasSuffix(RocksBackupMaking.suffix),
                BackupName.isName(String(name.dropLast(RocksBackupMaking.suffix.utf8.count)))
            {
                remove(path)
            }
            guard BackupName.isName(name) else { continue }
            // One that cannot be read is left for a person to look at, and not listed.
            guard
                let text = try? OwnFile.bytes(
                    of: "\(path)/\(BackupManifest.file)", atMost: BackupLimits.manifestBytes),
                let manifest = try? BackupManifest(text: text), manifest.name == name
            else { continue }
            entries.append(BackupEntry(manifest, sum: FileSum.text(of: text)))
        }
        return entries
    }

    /// Removes a backup, its manifest first: then it is no longer whole.
    static func remove(_ path: String) {
        removeFiles(of: path)
        rmdir(path)
    }

    /// Removes the files of a backup, and leaves its folder.
    static func removeFiles(of path: String) {
        unlink("\(path)/\(BackupManifest.file)")
        unlink("\(path)/\(BackupFile.formatPath)")
        let rows = "\(path)/\(BackupFile.rows)"
        for folder in [rows, rows + ".tmp"] {
            for name in (try? DataFolder.names(in: folder)) ?? [] { unlink("\(folder)/\(name)") }
            rmdir(folder)
        }
    }
}
