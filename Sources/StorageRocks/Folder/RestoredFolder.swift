package import Backups
internal import Glibc
package import Storage

/// A data folder that is being made out of a backup.
///
/// Everything is put below a folder of its own first. The file `FORMAT` comes last: a folder
/// without it is served by no server, and is restored again.
///
/// ```
/// FOLDER/restore.new/   what is being copied
/// FOLDER/RESTORED       the name of the backup, until a server has opened the store
/// ```
package struct RestoredFolder {
    private static let newName = "restore.new"
    static let markName = "RESTORED"

    private let path: String
    private let held: HeldFolder
    /// Where the files of the backup are to be put.
    package var target: String { "\(path)/\(Self.newName)" }

    /// Finds or makes the folder, and removes what an earlier attempt left there.
    ///
    /// - Throws: ``StorageError``: `foreign` if the folder holds anything else, `locked` if another
    ///   process holds it, `failed` if it cannot be made or written.
    package init(_ path: String) throws(StorageError) {
        self.path = path
        try DataFolder.make(path)
        held = try HeldFolder(path)
        let names = try DataFolder.names(in: path)
        let own = [Self.newName, BackupFile.rows, Self.markName]
        let isOwn = names.isEmpty || names.contains(Self.newName)
        if let other = names.first(where: { !isOwn || !own.contains($0) }) {
            throw StorageError(
                .foreign, "\(path) is not empty: it holds \(other), and nothing in it is touched")
        }
        RocksBackups.remove(target)
        RocksBackups.removeFiles(of: path)
        unlink("\(path)/\(Self.markName)")
    }

    /// Says whether there is room for the files of `manifest`.
    ///
    /// - Throws: ``StorageError``: `foreign` if this program cannot open such a store; `diskLow`.
    package func check(_ manifest: BackupManifest) throws(StorageError) {
        guard let format = StoreFormat(line: manifest.format), format.isKnown else {
            throw StorageError(
                .foreign,
                "the backup holds another format: \(manifest.format); "
                    + "this program reads \(DataFolder.knownFormats)")
        }
        guard let free = DataFolder.freeBytes(path) else {
            throw StorageError(.failed, "the file system does not say how much is free in \(path)")
        }
        let needed = UInt64(clamping: manifest.bytes) + RocksOptions().reserveBytes
        guard free >= needed else {
            throw StorageError(
                .diskLow, "\(path) needs \(needed) bytes for the backup, and \(free) are free")
        }
    }

    /// Makes the copied files the store of the folder, and lets other processes have it.
    package func finish(_ manifest: BackupManifest) throws(StorageError) {
        let rows = BackupFile.rows
        try move("\(target)/\(rows)", to: "\(path)/\(rows)")
        do throws(BackupError) {
            try OwnFile.make("\(path)/\(Self.markName)", manifest.name + "\n")
        } catch {
            throw StorageError(.failed, error.message)
        }
        try held.sync()
        try move(
            "\(target)/\(BackupFile.formatPath)", to: "\(path)/\(BackupFile.formatPath)")
        RocksBackups.remove(target)
        try held.sync()
        held.close()
    }

    /// Removes what was copied, after a failure.
    package func abandon() {
        RocksBackups.remove(target)
    }

    /// The name of the backup from which the folder was restored; nil if a server has opened it.
    static func mark(of path: String) -> String? {
        let bytes = try? OwnFile.bytes(of: "\(path)/\(markName)", atMost: BackupLimits.pathBytes)
        guard let bytes else { return nil }
        return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }

    static func forgetMark(of path: String) throws(StorageError) {
        guard unlink("\(path)/\(markName)") == 0 else { throw .system("\(path)/\(markName)") }
        do throws(BackupError) {
            try OwnFile.sync(folder: path)
        } catch {
            throw StorageError(.failed, error.message)
        }
    }

    private func move(_ old: String, to new: String) throws(StorageError) {
        guard rename(old, new) == 0 else { throw .system("\(old) cannot be moved") }
    }
}
