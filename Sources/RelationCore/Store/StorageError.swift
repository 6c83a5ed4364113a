package import Storage

/// Why a rule did not end: the store failed, or a row is not what it must be.
///
/// Callers of rules know the names of the store in this folder, and what rules offer on them. They
/// see nothing else of the store.
package typealias StorageError = Storage.StorageError

extension StorageError {
    /// The error of a caller that finds a row wrong.
    package static func damaged(_ message: String) -> StorageError {
        StorageError(.corrupted, message)
    }

    /// The error of a caller that cannot put rows into an answer.
    package static func unanswerable(_ message: String) -> StorageError {
        StorageError(.failed, message)
    }
}
