internal import Glibc

/// An error of a backup's files, in words for a person.
package struct BackupError: Error, Equatable {
    /// The kind of the error, by which a program can decide.
    package enum Code: Equatable, Sendable {
        /// The bytes are not those that were written.
        case damaged
        /// It is not a backup.
        case foreign
        /// The system does not allow it, or has no room.
        case failed
    }

    package let code: Code
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The action that failed, with the system's reason; call it before `errno` changes.
    package static func system(_ action: String) -> BackupError {
        BackupError(.failed, "\(action): \(String(cString: strerror(errno)))")
    }
}
