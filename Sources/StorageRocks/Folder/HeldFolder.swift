internal import Glibc
internal import Storage
internal import Synchronization

/// A folder that this process holds alone, by a lock on the folder itself.
///
/// Whoever removes the engine's own lock file, or comes by another path, still finds it held. The
/// lock ends with ``close()``, with the value, and with the process.
final class HeldFolder: Sendable {
    /// Opened in `init`; -1 once it is closed.
    private let descriptor: Atomic<Int32>

    /// - Throws: ``StorageError`` with the code `locked` if somebody holds the folder; `failed` if
    ///   it cannot be opened, or its file system knows no locks.
    init(_ path: String) throws(StorageError) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system("the data folder \(path) cannot be opened") }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let isHeld = errno == EWOULDBLOCK
            let error = StorageError.system("the data folder \(path) cannot be locked")
            Glibc.close(descriptor)
            throw isHeld ? StorageError(.locked, error.message) : error
        }
        self.descriptor = Atomic(descriptor)
    }

    deinit {
        close()
    }

    /// Lets others have the folder.
    func close() {
        let open = descriptor.exchange(-1, ordering: .relaxed)
        if open >= 0 { Glibc.close(open) }
    }

    /// Makes the names in the folder durable.
    func sync() throws(StorageError) {
        guard fsync(descriptor.load(ordering: .relaxed)) == 0 else {
            throw .system("the data folder cannot be synced")
        }
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
