internal import Glibc
internal import Storage

/// The folders of an open store and their paths, to check whether the folders are still there.
///
/// If its folders are removed or moved, the engine goes on writing into them. It notices only when
/// it makes its next file.
struct StoreLocation: Sendable {
    private struct Folder {
        let path: String
        /// The device, which with the file number distinguishes the folder from another one at its
        /// path.
        let device: dev_t
        let number: ino_t

        init(_ path: String) throws(StorageError) {
            var status = stat()
            guard stat(path, &status) == 0 else { throw .system("cannot look at \(path)") }
            (self.path, device, number) = (path, status.st_dev, status.st_ino)
        }

        /// Whether the path still leads to this folder, and the folder has a name.
        var isThere: Bool {
            var status = stat()
            return stat(path, &status) == 0 && status.st_dev == device
                && status.st_ino == number && status.st_nlink > 0
        }

        var failure: StorageError? {
            var status = stat()
            guard stat(path, &status) == 0 else {
                let isGone = errno == ENOENT || errno == ENOTDIR
                let reason = String(cString: strerror(errno))
                return StorageError(
                    .unavailable,
                    isGone
                        ? "\(path) is gone: it was removed or moved while the store was open"
                        : "\(path) cannot be looked at any more: \(reason)")
            }
            guard !isThere else { return nil }
            return StorageError(
                .unavailable, "\(path) is another folder than the one that the store has open")
        }
    }

    private let folder: Folder
    private let rows: Folder
    /// The one file of the engine that exists at all times.
    private let current: String

    /// - Throws: ``StorageError`` with the code `failed` if the folders are not there now.
    init(folder: String, rows: String) throws(StorageError) {
        self.folder = try Folder(folder)
        self.rows = try Folder(rows)
        current = rows + "/CURRENT"
    }

    /// Whether the rows are where they were: one question to the system, for every commit.
    var isThere: Bool { rows.isThere }

    /// The error of the folders or of their files; nil if they are where they were.
    func failure() -> StorageError? {
        if let failure = folder.failure ?? rows.failure { return failure }
        guard access(current, F_OK) != 0 else { return nil }
        return StorageError(
            .unavailable,
            "the files of the store were removed while it was open: "
                + "\(current) is gone")
    }
}
