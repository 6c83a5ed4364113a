import GRPC
import Memory
import Protobuf
import RPC
import RelationAPI
import RelationCalls
import RelationCore
import RelationModel
import RelationRuntime
import Storage

/// The calls of BackupService.
enum BackupHandlers {
    static func register(in router: Router) {
        let (backups, clock) = (router.store.backups, router.clock)
        router.batches(BackupMethods.createBackup) {
            (request, call, least, violations) throws(RPCError) in
            guard violations.isEmpty else { return nil }
            try least.checkedForNoApp()
            return try CreateBackupSource(backups.orUnavailable(), clock)
        }
        router.read(BackupMethods.listBackups, missing: .backupsUnavailable) {
            request, call, violations in
            list(request, call, &violations, backups)
        }
        router.batches(BackupMethods.readBackup) {
            (request, call, least, violations) throws(RPCError) in
            if violations.isEmpty { try least.checkedForNoApp() }
            return try read(request, &violations, backups, clock)
        }
    }

    static func list(
        _ request: ListBackupsRequest, _ call: Call, _ violations: inout Violations,
        _ backups: (any StoreBackups)?
    ) -> Reading<ListBackupsResponse> {
        let query = "ListBackups \(mark: call.app)"
        let page = KeyedPage(request.pageSize, request.pageToken, of: query, &violations)
        return Reading { (_) throws(StorageError) in
            guard let all = backups?.all else { return nil }
            let shown = page.cut(all, by: \.name)
            var response = ListBackupsResponse()
            response.backups = shown.rows.map { Backup($0) }
            response.nextPageToken = shown.nextToken
            response.totalSize = Int32(all.count)
            return response
        }
    }

    static func read(
        _ request: ReadBackupRequest, _ violations: inout Violations,
        _ backups: (any StoreBackups)?, _ clock: ServiceClock
    ) throws(RPCError) -> ReadBackupSource? {
        violations.length(request.name, "name", atMost: Limits.backupNameBytes)
        violations.length(request.path, "path", atMost: Limits.backupPathBytes)
        if request.offset < 0 { violations.add("offset", "must not be negative") }
        guard violations.isEmpty else { return nil }
        return ReadBackupSource(
            request.name, request.path, request.offset, try backups.orUnavailable(), clock)
    }
}

extension Backup {
    fileprivate init(_ entry: BackupEntry) {
        self.init()
        name = entry.name
        createTimeMs = entry.timeMs
        sizeBytes = entry.bytes
        fileCount = Int32(clamping: entry.files)
        format = entry.format
        serverVersion = entry.version
        manifestSHA256 = entry.sum
    }
}

extension LeastSequence {
    /// A call that acts for no app has no sequence to wait for.
    fileprivate func checkedForNoApp() throws(RPCError) {
        guard isAny else { throw notIssued }
    }
}

extension Optional where Wrapped == any StoreBackups {
    /// - Throws: An error that says that the store makes no backups.
    fileprivate func orUnavailable() throws(RPCError) -> any StoreBackups {
        guard let self else { throw .backupsUnavailable }
        return self
    }
}

extension RPCError {
    /// The store makes no backups.
    fileprivate static var backupsUnavailable: RPCError {
        RPCError(
            .failedPrecondition, .backupsUnavailable,
            "the server's store has no folder for backups")
    }
}

/// A backup that the messages of one call make, step by step.
///
/// `@unchecked Sendable`: batches come one after another, in an order that the queues keep. Only
/// ``close()`` may come at the same time, and it touches only what may be touched from any thread.
final class CreateBackupSource: BatchSource, @unchecked Sendable {
    private let making: any BackupMaking
    private let clock: ServiceClock

    init(_ backups: any StoreBackups, _ clock: ServiceClock) throws(RPCError) {
        let making = backups.begin(
            at: clock.now().milliseconds, counting: BackupContent.counts(in:))
        guard let making else {
            throw RPCError(
                .failedPrecondition, .backupUnderWay,
                "another backup is under way; try again when it has ended")
        }
        self.making = making
        self.clock = clock
    }

    func next(
        _ arena: Arena
    ) throws(RPCError) -> (messages: [CreateBackupResponse], isLast: Bool) {
        do throws(StorageError) {
            let advance = try making.step(at: clock.now().milliseconds)
            if let entry = advance.entry {
                return ([CreateBackupResponse(.backup(Backup(entry)))], true)
            }
            var progress = BackupProgress()
            (progress.bytesDone, progress.bytesTotal) = (advance.bytes, advance.allBytes)
            return ([CreateBackupResponse(.progress(progress))], false)
        } catch {
            throw RPCError(error)
        }
    }

    func close() {
        making.abandon()
    }
}

/// The bytes of one file of a backup, as one call sends them.
///
/// `@unchecked Sendable`: batches come one after another, in an order that the queues keep.
final class ReadBackupSource: BatchSource, @unchecked Sendable {
    private let name: String
    private let path: String
    private let backups: any StoreBackups
    private let clock: ServiceClock
    private var offset: Int64

    init(
        _ name: String, _ path: String, _ offset: Int64, _ backups: any StoreBackups,
        _ clock: ServiceClock
    ) {
        self.name = name
        self.path = path
        self.offset = offset
        self.backups = backups
        self.clock = clock
    }

    func next(_ arena: Arena) throws(RPCError) -> (messages: [ReadBackupResponse], isLast: Bool) {
        let limit = Limits.backupPieces * Limits.backupPieceBytes
        // The file is opened for each batch: a stream that waits for its client holds none open.
        let bytes = try read(limit)
        offset += Int64(bytes.count)
        let pieces = stride(from: 0, to: bytes.count, by: Limits.backupPieceBytes).map { start in
            let end = min(bytes.count, start + Limits.backupPieceBytes)
            return ReadBackupResponse.with { $0.data = Array(bytes[start..<end]) }
        }
        return (pieces, bytes.count < limit)
    }

    private func read(_ limit: Int) throws(RPCError) -> [UInt8] {
        let bytes: [UInt8]?
        do throws(StorageError) {
            bytes = try backups.read(
                path, of: name, offset: offset, count: limit, at: clock.now().milliseconds)
        } catch {
            throw RPCError(error)
        }
        guard let bytes else {
            throw RPCError(
                .notFound, .backupNotFound,
                "name, path: the server has no such backup, or the backup no such file")
        }
        return bytes
    }

    func close() {}
}
