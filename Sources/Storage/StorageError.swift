/// A fault of the store: never a refusal by a rule.
///
/// Two errors are equal when their codes are: tests name the code, logs show the rest.
package struct StorageError: Error, Equatable, CustomStringConvertible {
    package enum Code: Sendable {
        /// The engine cannot be reached or has closed; the same call may succeed later.
        case unavailable
        /// The disk is too full to take another write, found before the engine was asked; reads go
        /// on.
        case diskLow
        /// The engine failed with the write in its hands: whether it is there will be known when
        /// the store has been opened again.
        case outcomeUnknown
        /// The store has failed before, and takes no more; the engine was not asked.
        case stopped
        /// Another process holds the data folder.
        case locked
        /// The folder holds something else, or another format of ours.
        case foreign
        /// Others may read the data folder, and the process may not change that.
        case exposed
        /// Writes that were answered are not there any more.
        case lostWrites
        /// A row or a file does not read back as it was written.
        case corrupted
        /// The row is not in memory, and the read was to go no further.
        case notInMemory
        /// Another writer won; the operation may be run again.
        case conflict
        /// The engine failed in a way it does not explain further.
        case failed
    }

    package let code: Code
    /// What happened, for the log: it may name files and keys, so it never reaches a client.
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { "\(code): \(message)" }

    package static func == (one: StorageError, other: StorageError) -> Bool {
        one.code == other.code
    }
}
