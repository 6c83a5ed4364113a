import Storage
import StoragePostgres

/// A statement of a client, in the kinds that a store of PostgreSQL makes.
enum ModelQuestion {
    /// The rows of many keys.
    case rows([[UInt8]])
    /// The rows between two keys.
    case scan(lower: [UInt8], upper: [UInt8], ScanOrder, limit: Int)
    /// Waits for each lock, then for a share of the lock of the store. The answer counts the waits.
    case lock([Int64])
    /// Takes the locks that are free. The answer has the indices of the others.
    case tryLock([Int64])
    /// Waits for a short time until no other transaction runs.
    case lockAll
    case change([ModelChange.Row])
    /// Notes which transaction a writer is about to commit, unless its process has no lease.
    case note(writer: [UInt8], batch: Int64, tenure: Int64, process: String)
    /// The last transaction that a writer has committed.
    case noted([UInt8])
    case notify(PeerSignal)
    /// Renews the lease of a process, or takes its first one. The answer is the number of the
    /// renewal, how many others have a lease, and how many of them come before; empty if the row is
    /// not as the process has seen it.
    case renew(String, version: Int64, seen: Int64?)
    /// Counts the leases of others with an older version: good ones, and those that have run out.
    case olderLeases(String, than: Int64)
    case post([PeerNote], after: NotePosition?)
    case trimNotes(Int)
    /// The time of the database in milliseconds, if all tables are there.
    case checkTables
    /// Ends the sessions with locks whose processes have no lease, again at the end of each lease
    /// that runs out within so many nanoseconds.
    case fence(within: UInt64)
    /// Gives the lease of a process back.
    case releaseLease(String)
    case listen
    /// The server at the other end, and whether it has what a process has seen.
    case greet(ModelSeen)
}

/// The answer to a statement.
enum ModelAnswer {
    case done
    case values([[UInt8]?])
    case rows([MemoryRows.Row])
    case numbers([Int64])
    case names([String])
    case notes(PeerNotes)
    case greeting(Primary.Identity, isStandby: Bool, isWhole: Bool)

    var numbers: [Int64] {
        if case .numbers(let numbers) = self { numbers } else { [] }
    }

    var names: [String] {
        if case .names(let names) = self { names } else { [] }
    }
}

/// Statements that a client has sent together, on their way to the database and back.
final class ModelRequest {
    let questions: [ModelQuestion]
    /// Whether the transaction ends with them.
    let ends: Bool
    /// How long the database works for it, in nanoseconds.
    let patience: UInt64
    /// The place of the statement that runs.
    var next = 0
    /// The place of the lock that it takes, and how often it had to wait.
    var (nextLock, waits) = (0, 0)
    var answers: [ModelAnswer] = []
    var error: StorageError?
    /// Whether the answer has come.
    var isAnswered = false

    init(_ questions: [ModelQuestion], ends: Bool, patience: UInt64) {
        (self.questions, self.ends, self.patience) = (questions, ends, patience)
    }
}
