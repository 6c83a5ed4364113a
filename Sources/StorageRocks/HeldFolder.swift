internal import Glibc
internal import Storage

/// A folder that this process holds alone, by a lock on the folder itself.
///
/// Whoever removes the engine's own lock file, or comes by another path, still finds it held. The
/// lock ends with the value, and with the process.
final class HeldFolder: Sendable {
    /// Opened in `init`, closed in `deinit`.
    private let descriptor: Int32

    /// - Throws: ``StorageError`` with the code `locked` if somebody holds the folder; `failed` if
    ///   it cannot be opened, or its file system knows no locks.
    init(_ path: String) throws(StorageError) {
        descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system("the data folder \(path) cannot be opened") }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let isHeld = errno == EWOULDBLOCK
            let error = StorageError.system("the data folder \(path) cannot be locked")
            close(descriptor)
            throw isHeld ? StorageError(.locked, error.message) : error
        }
    }

    deinit {
        close(descriptor)
    }

    /// Makes the names in the folder durable.
    func sync() throws(StorageError) {
        guard fsync(descriptor) == 0 else { throw .system("the data folder cannot be synced") }
    }
}

extension StorageError {
    /// What was tried, and what the system said.
    ///
    /// Call it before anything else sets `errno`.
    static func system(_ attempt: String) -> StorageError {
        StorageError(.failed, "\(attempt): \(String(cString: strerror(errno)))")
    }
}
