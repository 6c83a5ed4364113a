import GRPC
import Memory
import Protobuf
import RPC
import RelationAdmission
import RelationCalls
import RelationCore
import RelationModel
import Storage

/// The source of the messages that a stream sends before it is live.
///
/// Threads of the readers read it a batch at a time, never two at once.
protocol WatchSource: AnyObject, Sendable {
    /// Adds the next messages, of at most some hundred rows.
    func add(to batch: inout WatchBatch, _ arena: Arena) throws(RPCError)

    /// The stream needs no more of it.
    func close()
}

extension WatchSource {
    /// Reads the messages of about `rows` rows.
    ///
    /// They are so few that other reads need not wait long for the thread. They are so many that
    /// most streams need one batch, with its two hops between threads, and not ten.
    func batch(of rows: Int, _ arena: Arena) throws(RPCError) -> WatchBatch {
        var batch = WatchBatch()
        repeat {
            let mark = arena.mark()
            defer { arena.rewind(to: mark) }
            let before = batch.rows
            try add(to: &batch, arena)
            // A step that finds nothing also counts as work.
            if batch.rows == before { batch.rows += 1 }
        } while batch.end == nil && batch.rows < rows && batch.bytes < WatchLimits.batchBytes
        return batch
    }
}

/// The surroundings of a source: the plan of its stream, its snapshot of the store, and the
/// presence.
struct WatchReading: Sendable {
    let plan: WatchPlan
    private let apps: Apps
    let snapshot: KeptSnapshot
    let board: PresenceBoard
    let now: Timestamp
    /// Is called when the stream starts over because its token is too old.
    let resynced: @Sendable () -> Void

    init(
        _ plan: WatchPlan, _ apps: Apps, _ snapshot: KeptSnapshot, _ board: PresenceBoard,
        at now: Timestamp, resynced: @escaping @Sendable () -> Void = {}
    ) {
        self.resynced = resynced
        self.plan = plan
        self.apps = apps
        self.snapshot = snapshot
        self.board = board
        self.now = now
    }

    /// The app at present: the settings at the time of sending decide what is seen.
    var app: App { apps[plan.app.id] ?? plan.app }

    /// The view of events that the stream's caller has.
    var view: ChangeView { ChangeView(isAdmin: plan.isAdmin, app.settings) }
}

extension WatchPlan {
    /// Checks that the one user that it follows exists, and that the snapshot includes the caller's
    /// own writes.
    ///
    /// - Returns: The users that do not exist, for a stream of several users.
    func check(_ least: LeastSequence, _ snapshot: KeptSnapshot) throws(RPCError) -> [UserID] {
        let missing = try snapshot.read { (transaction) throws(StorageError) -> [UserID] in
            guard !app.settings.makesAccountsImplicitly else { return [] }
            var keys = KeyList()
            Accounts.userRecords(of: users, app: app, into: &keys)
            let found = try keys.found(in: transaction)
            return zip(users, found).filter { !$1 }.map(\.0)
        }
        if case .user(let user) = scope, !missing.isEmpty { throw .unknownUser(user) }
        let isReached = try snapshot.read { (transaction) throws(StorageError) in
            try least.isReached(app, in: transaction)
        }
        guard isReached else { throw least.notIssued }
        return missing
    }
}

/// Runs an encoding, which only a bug can make fail.
func encoding<Result>(_ body: () throws(CodecError) -> Result) throws(RPCError) -> Result {
    do throws(CodecError) {
        return try body()
    } catch {
        throw RPCError(.internalError, "an event does not encode", cause: error)
    }
}
