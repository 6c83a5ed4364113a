import GRPC
import Protobuf
import RelationAdmission
import RelationCalls
import RelationCore
import RelationModel
import Storage
import Synchronization

/// What a stream sends before it is live: it is read on threads of the readers, in turns, never on
/// two at once.
protocol WatchSource: AnyObject, Sendable {
    /// Adds the next messages, of at most some hundred rows.
    func add(to turn: inout WatchTurn, _ arena: Arena) throws(RPCError)

    /// The stream needs no more of it.
    func close()
}

extension WatchSource {
    /// The messages of about `rows` rows: so few that others need not wait long for the thread, and
    /// so many that most streams need one turn, and its two ways between threads, not ten.
    func turn(of rows: Int, _ arena: Arena) throws(RPCError) -> WatchTurn {
        var turn = WatchTurn()
        repeat {
            let mark = arena.mark()
            defer { arena.rewind(to: mark) }
            let before = turn.rows
            try add(to: &turn, arena)
            // A step that finds nothing is work too.
            if turn.rows == before { turn.rows += 1 }
        } while turn.end == nil && turn.rows < rows && turn.bytes < WatchLimits.turnBytes
        return turn
    }
}

/// What one turn of reading found.
struct WatchTurn {
    /// How many rows were read for it, more or less.
    var rows = 0
    /// Encoded responses.
    private(set) var responses: [[UInt8]] = []
    /// How long these are together.
    private(set) var bytes = 0
    /// Where the client stands when it has taken them; nil if it is no further than before.
    var point: FeedPoint?
    /// Where the stream stands when it has sent all that there is to read; nil if there is more.
    var end: FeedPoint?

    /// Adds a message with an event's encoding.
    ///
    /// - Parameters:
    ///   - token: Empty where a stream cannot go on from it.
    ///   - receivers: Whom it is for, where the stream follows several.
    mutating func add(
        _ event: [UInt8], token: String = "", for receivers: [UserID] = [], _ arena: Arena
    ) throws(CodecError) {
        try add(event, NamedUsers(receivers: receivers.map(\.text)), token: token, arena)
    }

    /// Adds the message that names the users who are no accounts, if there are such.
    mutating func add(
        missing users: [UserID], token: String = "", _ arena: Arena
    ) throws(RPCError) {
        guard !users.isEmpty else { return }
        try encoding { () throws(CodecError) in
            try add([], NamedUsers(missing: users.map(\.text)), token: token, arena)
        }
    }

    private mutating func add(
        _ event: [UInt8], _ users: NamedUsers, token: String, _ arena: Arena
    ) throws(CodecError) {
        let response = try WatchMessage.response(event, users, token: token, arena)
        bytes += response.count
        responses.append(response)
    }
}

/// What every source reads from: one moment of the store, which is taken when it is first read, and
/// given back when nobody reads it any more.
final class KeptSnapshot: Sendable {
    private struct State {
        var snapshot: (any Snapshot)?
        var reads = 0
        var isClosed = false

        /// What is to be closed now, once.
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

    /// - Throws: UNAVAILABLE if it was closed meanwhile: nobody is there to be answered.
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

    /// The moment; that of now if there is none yet.
    ///
    /// Reads come one after another, so no two of them take one.
    private func taken() throws(StorageError) -> any Snapshot {
        if let known = state.withLock({ $0.snapshot }) { return known }
        let snapshot = try store.snapshot()
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

/// What a source reads, and for whom.
struct WatchReading: Sendable {
    let plan: WatchPlan
    private let apps: Apps
    let snapshot: KeptSnapshot
    let board: PresenceBoard
    let now: Timestamp

    init(
        _ plan: WatchPlan, _ apps: Apps, _ snapshot: KeptSnapshot, _ board: PresenceBoard,
        at now: Timestamp
    ) {
        self.plan = plan
        self.apps = apps
        self.snapshot = snapshot
        self.board = board
        self.now = now
    }

    /// The app as it now is: what is seen is decided when it is sent.
    var app: App { apps[plan.app.id] ?? plan.app }

    /// What the stream's caller sees of events.
    var view: ChangeView { ChangeView(isAdmin: plan.isAdmin, app.settings) }
}

extension WatchPlan {
    /// Checks that the one user that it follows exists, and that the caller's own writes are in the
    /// moment.
    ///
    /// - Returns: Of several users those that do not exist.
    func check(_ least: LeastSequence, _ snapshot: KeptSnapshot) throws(RPCError) -> [UserID] {
        let missing = try snapshot.read { (transaction) throws(StorageError) -> [UserID] in
            guard !app.settings.makesAccountsImplicitly else { return [] }
            var keys = KeyList()
            Accounts.heads(of: users, app: app, into: &keys)
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

/// Runs what encodes, on the way out of which nothing but a bug can fail.
func encoding<Result>(_ body: () throws(CodecError) -> Result) throws(RPCError) -> Result {
    do throws(CodecError) {
        return try body()
    } catch {
        throw RPCError(.internalError, "an event does not encode", cause: error)
    }
}
