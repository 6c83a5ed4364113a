internal import Storage
import Support
internal import Synchronization

/// A number that this process commits at the primary, and that a view of a standby must show.
///
/// A standby applies commits in the primary's order. So a view with the number has all that was
/// committed before it. No clock and no position of the log is compared: a standby that follows an
/// earlier primary may be further in a log of its own.
final class StandbyMark: Sendable {
    /// A number that was committed.
    struct Number: Sendable {
        /// The name of its row in `relation_writer`, which is not a writer's.
        let id: [UInt8]
        let value: Int64
        /// The number of the primary that has committed it.
        let primary: UInt64
        /// When its commit began, by ``DatabaseConnection/milliseconds()``.
        let begun: Int
    }

    /// The last number, and the calls that it is for.
    private struct Shared {
        let number: Number
        let calls: Int
    }

    private let database: PostgresDatabase
    let id: [UInt8] = (0..<16).map { _ in UInt8.random(in: 0 ... .max) }
    /// It is used for one commit at most: one whose answer is lost may be on another standby.
    private let last = Atomic<Int64>(0)
    private let session = Mutex<PostgresSession?>(nil)
    private let calls = Atomic<Int>(0)
    /// Used by the owner of the session alone.
    private let shared = Mutex<Shared?>(nil)

    init(_ database: PostgresDatabase) {
        self.database = database
    }

    /// Commits the next number.
    ///
    /// Calls that wait meanwhile for a commit that begins after them have one together.
    func advance() throws(StorageError) -> Number {
        try database.seen.check()
        let call = calls.add(1, ordering: .sequentiallyConsistent).newValue
        return try database.use(session, beginning: nil) { (session) throws(StorageError) in
            if let last = shared.withLock({ $0 }), last.calls >= call,
                last.number.primary == session.primary
            {
                return last.number
            }
            let covered = calls.load(ordering: .sequentiallyConsistent)
            let begun = DatabaseConnection.milliseconds()
            let value = last.add(1, ordering: .relaxed).newValue
            try session.run(
                """
                INSERT INTO relation_writer (id, batch) \
                VALUES ('\\x\(String(hexadecimal: id))', \(value)) \
                ON CONFLICT (id) DO UPDATE SET batch = excluded.batch, began = now()
                """)
            let number = Number(id: id, value: value, primary: session.primary, begun: begun)
            shared.withLock { $0 = Shared(number: number, calls: covered) }
            return number
        }
    }

    func close() {
        session.withLock { $0 = nil }
    }
}
