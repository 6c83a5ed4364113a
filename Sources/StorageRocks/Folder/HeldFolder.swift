internal import Glibc
internal import Storage
internal import Synchronization

/// A folder that this process holds alone, by a lock on the folder itself.
///
/// The lock also holds if the engine's own lock file is removed, or if another process comes by
/// another path. It ends with ``close()``, with the value, and with the process.
final class HeldFolder: Sendable {
    /// It is opened in `init`; -1 after it is closed.
    private let descriptor: Atomic<Int32>

    /// - Throws: ``StorageError`` with the code `locked` if another process holds the folder;
    ///   `failed` if it cannot be opened, or if its file system has no locks.
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

    /// Lets other processes have the folder.
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
    /// The action that failed, and the system's words for the reason.
    ///
    /// Call it before any other call changes `errno`.
    static func system(_ attempt: String) -> StorageError {
        StorageError(.failed, "\(attempt): \(String(cString: strerror(errno)))")
    }
}
