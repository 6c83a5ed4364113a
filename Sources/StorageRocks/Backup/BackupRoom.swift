internal import Glibc
internal import Storage

/// The room that a backup needs on its device.
struct BackupRoom: Sendable {
    /// The data folder.
    let data: String
    let reserveBytes: UInt64
    /// The size of a buffer of new rows, which is written out first.
    let bufferBytes: UInt64
    /// The free bytes, if a test says them.
    let freeBytes: (@Sendable () -> UInt64?)?

    /// - Throws: ``StorageError``: `diskLow` if a backup in `folder` would take the reserve.
    func check(for folder: String, _ database: RocksDatabase) throws(StorageError) {
        guard let free = freeBytes?() ?? DataFolder.freeBytes(folder) else {
            throw StorageError(
                .unavailable, "the file system does not say how much is free for backups")
        }
        let buffers = UInt64(clamping: database.number("rocksdb.cur-size-all-mem-tables"))
        var needed = buffers + bufferBytes
        if Self.device(of: folder) != Self.device(of: data) {
            needed += UInt64(clamping: database.number("rocksdb.total-sst-files-size"))
        }
        guard free >= needed + reserveBytes else {
            throw StorageError(
                .diskLow,
                "a backup needs \(needed) bytes in \(folder) beside the reserve of "
                    + "\(reserveBytes), and \(free) are free")
        }
    }

    private static func device(of path: String) -> UInt64? {
        var status = stat()
        return stat(path, &status) == 0 ? UInt64(status.st_dev) : nil
    }
}
