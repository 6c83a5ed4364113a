/// An error of the store; a refusal by a rule is never one.
///
/// Two errors are equal if their codes are: tests name the code, and logs show the rest.
@usableFromInline package struct StorageError: Error, Equatable, CustomStringConvertible {
    @usableFromInline package enum Code: Sendable {
        /// The engine cannot be reached or has closed; the same call may succeed later.
        case unavailable
        /// The disk is too full for another write, and reads go on. This is found before the engine
        /// is asked.
        case diskLow
        /// The engine failed during the write. Only the next opening of the store shows whether the
        /// write is there.
        case outcomeUnknown
        /// The store has failed before, and accepts no more work; the engine was not asked.
        case stopped
        /// Another process holds the data folder.
        case locked
        /// The folder holds something else, or another format of this store.
        case foreign
        /// Other users may read the data folder, and the process may not change that.
        case exposed
        /// Writes that were answered are missing.
        case lostWrites
        /// The database has gone back to an earlier state than this process has seen.
        case lostData
        /// A row or a file cannot be read back as it was written.
        case corrupted
        /// The row is not in memory, and the read may go no further.
        case notInMemory
        /// Another writer was first; the operation may be run again.
        case conflict
        /// The engine failed, and explains no more.
        case failed
    }

    package let code: Code
    /// The event, for the log.
    ///
    /// It may name files and keys, so it never reaches a client.
    package let message: String

    @usableFromInline package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    @usableFromInline package var description: String { "\(code): \(message)" }

    @usableFromInline package static func == (one: StorageError, other: StorageError) -> Bool {
        one.code == other.code
    }
}
