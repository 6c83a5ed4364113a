import GRPC
import Memory
import Protobuf
import RPC
import RelationAdmission
import RelationCalls
import RelationCore
import RelationModel
import Storage
import Synchronization

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

/// The messages that one batch of reads found.
struct WatchBatch {
    /// About the number of rows that were read for it.
    var rows = 0
    /// Encoded responses.
    private(set) var responses: [[UInt8]] = []
    /// The length of all responses together.
    private(set) var bytes = 0
    /// The client's position after it has taken them; nil if it is no further than before.
    var position: Int64?
    /// The position of the stream after it has sent everything there is to read; nil if there is
    /// more.
    var end: Int64?

    /// Adds a message with an event's encoding.
    ///
    /// - Parameters:
    ///   - token: The token; empty if a stream cannot continue from it.
    ///   - receivers: The users that the event is for, if the stream follows several users.
    mutating func add(
        _ event: [UInt8], token: String = "", for receivers: [UserID] = [], _ arena: Arena
    ) throws(CodecError) {
        try add(event, EventUsers(receivers: receivers.map(\.text)), token: token, arena)
    }

    /// Adds the message that names the users without an account, if there are any.
    mutating func add(
        missing users: [UserID], token: String = "", _ arena: Arena
    ) throws(RPCError) {
        guard !users.isEmpty else { return }
        try encoding { () throws(CodecError) in
            try add([], EventUsers(missing: users.map(\.text)), token: token, arena)
        }
    }

    private mutating func add(
        _ event: [UInt8], _ users: EventUsers, token: String, _ arena: Arena
    ) throws(CodecError) {
        let response = try WatchMessage.response(event, users, token: token, arena)
        bytes += response.count
        responses.append(response)
    }
}

/// One read version of the store, from which every source reads.
///
/// It is taken at the first read, and given back when no reader needs it any more. A store with
/// standbys may take it from one of them: it has all that was committed before.
final class KeptSnapshot: Sendable {
    private struct State {
        var snapshot: (any Snapshot)?
        var reads = 0
        var isClosed = false

        /// The snapshot that is to be closed now, once.
        mutating func leftOver() -> (any Snapshot)? {
            guard isClosed, reads == 0 else { return nil }
            defer { snapshot = nil }
            return snapshot
        }
    }

    private let store: any Store
    private let state = Mutex(State())

    init(of store: any Store) {
        self.store = store
    }

    deinit {
        close()
    }

    /// - Throws: UNAVAILABLE if it was closed in the meantime: there is no client to answer.
    func read<Result>(
        _ body: (any ReadTransaction) throws(StorageError) -> Result
    ) throws(RPCError) -> Result {
        let isOpen = state.withLock { state in
            if !state.isClosed { state.reads += 1 }
            return !state.isClosed
        }
        guard isOpen else { throw RPCError(.unavailable, "the stream has ended") }
        defer {
            let leftOver = state.withLock { state in
                state.reads -= 1
                return state.leftOver()
            }
            leftOver?.close()
        }
        do throws(StorageError) {
            return try taken().read(body)
        } catch {
            throw RPCError(error)
        }
    }

    /// The snapshot of the store, taken now if there is none yet.
    ///
    /// Reads come one after another, so only one of them takes it.
    private func taken() throws(StorageError) -> any Snapshot {
        if let known = state.withLock({ $0.snapshot }) { return known }
        let snapshot = try store.longSnapshot()
        state.withLock { $0.snapshot = snapshot }
        return snapshot
    }

    func close() {
        let leftOver = state.withLock { state in
            state.isClosed = true
            return state.leftOver()
        }
        leftOver?.close()
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
    /// Is called when the stream begins anew because its token is too old.
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
