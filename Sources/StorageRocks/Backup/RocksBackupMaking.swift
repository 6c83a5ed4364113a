internal import Backups
internal import CRocksDB
internal import Glibc
internal import Storage
internal import Synchronization

/// One backup on its way: the engine's copy, the sums of its files, the manifest, the last name.
///
/// Until the last step its folder has a name that no backup has.
final class RocksBackupMaking: BackupMaking {
    static let suffix = ".new"

    private struct State {
        var manifest: BackupManifest
        /// The files whose sums are not known yet; nil before the engine's copy was made.
        var open: [BackupFile]?
        /// The sum of the first of them, as far as it was read.
        var sum = FileSum()
        var offset: Int64 = 0
        var lastStepMs: Int64
        var isOver = false
    }

    typealias Count = @Sendable (any ReadTransaction) throws(StorageError) -> [BackupCounts]

    private let backups: RocksBackups
    private let path: String
    private let name: String
    private let count: Count
    private let state: Mutex<State>

    init(
        _ manifest: BackupManifest, _ backups: RocksBackups, _ count: @escaping Count,
        at nowMs: Int64
    ) {
        self.backups = backups
        self.count = count
        name = manifest.name
        path = "\(backups.folder)/\(manifest.name)\(Self.suffix)"
        state = Mutex(State(manifest: manifest, lastStepMs: nowMs))
    }

    /// Whether its maker has done nothing for so long that others need not wait.
    func isIdle(at nowMs: Int64) -> Bool {
        // The lock is held during a step, so a step under way counts as work.
        state.withLockIfAvailable { nowMs - $0.lastStepMs > BackupLimits.idleMilliseconds }
            ?? false
    }

    func step(at nowMs: Int64) throws(StorageError) -> BackupAdvance {
        do throws(StorageError) {
            let progress = try state.withLock { (state) throws(StorageError) in
                guard !state.isOver else {
                    throw StorageError(.unavailable, "the backup \(name) was given up")
                }
                state.lastStepMs = nowMs
                let progress = try step(&state)
                state.isOver = progress.entry != nil
                return progress
            }
            if let entry = progress.entry { backups.add(entry, at: nowMs) }
            return progress
        } catch {
            end(hasFailed: true)
            throw error
        }
    }

    func abandon() {
        end(hasFailed: false)
    }

    private func end(hasFailed: Bool) {
        let wasOver = state.withLock { state in
            defer { state.isOver = true }
            return state.isOver
        }
        guard !wasOver else { return }
        RocksBackups.remove(path)
        backups.drop(self, hasFailed: hasFailed)
    }

    // MARK: Steps

    private func step(_ state: inout State) throws(StorageError) -> BackupAdvance {
        var progress = BackupAdvance()
        if state.open == nil {
            try copy(&state)
        } else if state.open?.isEmpty == false {
            try sum(&state)
        } else {
            progress.entry = try finish(state.manifest)
        }
        let known = state.manifest.bytes + state.offset
        progress.bytes = known
        let open = state.open ?? []
        progress.allBytes = state.manifest.bytes + open.reduce(0) { $0 + $1.bytes }
        return progress
    }

    /// Makes the engine's copy, and lists its files.
    private func copy(_ state: inout State) throws(StorageError) {
        guard mkdir(path, 0o700) == 0 else { throw .system("\(path) cannot be made") }
        let rows = "\(path)/\(BackupFile.rows)"
        try backups.checkpoint(to: rows)
        try rethrowing { () throws(BackupError) in
            try OwnFile.make("\(path)/\(BackupFile.formatPath)", backups.format.line + "\n")
        }
        state.manifest.format = backups.format.line
        let known = backups.knownSums()
        var open: [BackupFile] = []
        let names = try DataFolder.names(in: rows).map { "\(BackupFile.rows)/\($0)" }
        for name in [BackupFile.formatPath] + names {
            var file = BackupFile()
            file.path = name
            var status = stat()
            guard lstat("\(path)/\(name)", &status) == 0 else { throw .system("\(path)/\(name)") }
            file.bytes = Int64(status.st_size)
            if let id = FileID("\(path)/\(name)"), let sum = known[id] {
                file.sha256 = sum
                state.manifest.files.append(file)
            } else {
                open.append(file)
            }
        }
        state.open = open
    }

    /// Reads the next bytes of the first file whose sum is not known.
    private func sum(_ state: inout State) throws(StorageError) {
        guard var file = state.open?.first else { return }
        let limit = Int(min(file.bytes - state.offset, Int64(BackupLimits.stepBytes)))
        let offset = state.offset
        let piece = try rethrowing { () throws(BackupError) in
            let source = try OwnFile.reading("\(path)/\(file.path)")
            try source.seek(to: offset)
            return try source.read(count: limit)
        }
        guard piece.count == limit else {
            throw StorageError(.failed, "\(path)/\(file.path) has become shorter")
        }
        piece.withUnsafeBytes { state.sum.add($0) }
        state.offset += Int64(limit)
        guard state.offset == file.bytes else { return }
        file.sha256 = state.sum.text
        state.manifest.files.append(file)
        state.open?.removeFirst()
        (state.sum, state.offset) = (FileSum(), 0)
    }

    /// Counts what the copy holds, writes the list of files, and gives the backup its name.
    private func finish(_ found: BackupManifest) throws(StorageError) -> BackupEntry {
        var manifest = found
        manifest.files.sort { $0.path < $1.path }
        let rows = try RestingRows("\(path)/\(BackupFile.rows)")
        defer { rows.close() }
        manifest.apps = try rows.read(reaching: .disk, count)
        return try rethrowing { [manifest] () throws(BackupError) in
            let text = try manifest.text()
            try OwnFile.make("\(path)/\(BackupManifest.file)", text)
            try OwnFile.sync(folder: "\(path)/\(BackupFile.rows)")
            try OwnFile.sync(folder: path)
            guard rename(path, "\(backups.folder)/\(name)") == 0 else { throw .system(path) }
            try OwnFile.sync(folder: backups.folder)
            return BackupEntry(manifest, sum: FileSum.text(of: Array(text.utf8)))
        }
    }

    private func rethrowing<Result>(
        _ body: () throws(BackupError) -> Result
    ) throws(StorageError) -> Result {
        do throws(BackupError) {
            return try body()
        } catch {
            throw StorageError(.failed, "the backup \(name): \(error.message)")
        }
    }
}
