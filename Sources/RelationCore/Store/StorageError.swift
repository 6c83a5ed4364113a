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

extension StorageError {
    /// The meaning of a failure for the call that it ends.
    package enum Effect {
        /// Another writer was first; the call may be sent again.
        case conflict
        /// Nothing can be written, and reads go on.
        case diskLow
        /// The write may be there or not.
        case outcomeUnknown
        /// The store failed earlier, and the server stops.
        case stopped
        /// The store cannot be reached at present.
        case unavailable
        /// The store failed with this call.
        case failed
    }

    package var effect: Effect {
        switch code {
        case .conflict: .conflict
        case .diskLow: .diskLow
        case .outcomeUnknown: .outcomeUnknown
        case .stopped: .stopped
        case .unavailable, .locked, .foreign, .notInMemory, .lostData: .unavailable
        case .corrupted, .failed, .exposed, .lostWrites: .failed
        }
    }
}
