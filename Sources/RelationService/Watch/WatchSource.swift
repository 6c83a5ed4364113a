import GRPC
import Protobuf
import RelationCore
import RelationModel
import Storage
import Synchronization

/// What a stream sends before it is live: it is read on threads of the readers, in turns, never on
/// two at once.
protocol WatchSource: AnyObject, Sendable {
    /// The next messages, not many.
    func next(_ arena: Arena) throws(RPCError) -> WatchTurn

    /// The stream needs no more of it.
    func close()
}

/// What one turn of reading found.
struct WatchTurn {
    /// Encoded responses.
    private(set) var responses: [[UInt8]] = []
    /// Where the client stands when it has taken them; nil if it is no further than before.
    var point: FeedPoint?
    /// Where the stream stands when it has sent all that there is to read; nil if there is more.
    var end: FeedPoint?

    /// Adds a message with an event's encoding.
    ///
    /// - Parameters:
    ///   - token: Empty where nobody could go on from.
    ///   - receivers: Whom it is for, where the stream follows several.
    mutating func add(
        _ event: [UInt8], token: String = "", for receivers: [UserID] = [], _ arena: Arena
    ) throws(CodecError) {
        responses.append(
            try WatchMessage.response(
                event, for: receivers.map(\.text), token: token, arena))
    }
}

/// What every source reads from: one moment of the store, which is given back when nobody reads it
/// any more.
final class KeptSnapshot: Sendable {
    private struct State {
        var reads = 0
        var isClosed = false
    }

    private let snapshot: any Snapshot
    private let state = Mutex(State())

    init(of store: any Store) throws(RPCError) {
        do throws(StorageError) {
            snapshot = try store.snapshot()
        } catch {
            throw RPCError(error)
        }
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
            let isLast = state.withLock { state in
                state.reads -= 1
                return state.isClosed && state.reads == 0
            }
            if isLast { snapshot.close() }
        }
        do throws(StorageError) {
            return try snapshot.read(body)
        } catch {
            throw RPCError(error)
        }
    }

    func close() {
        let isLast = state.withLock { state in
            guard !state.isClosed else { return false }
            state.isClosed = true
            return state.reads == 0
        }
        if isLast { snapshot.close() }
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
    /// That the users whom it follows exist, and that the caller's own writes are in the moment.
    func check(_ least: LeastSequence, _ snapshot: KeptSnapshot) throws(RPCError) {
        let missing = try snapshot.read { (transaction) throws(StorageError) -> UserID? in
            guard !app.settings.makesAccountsImplicitly else { return nil }
            var keys = KeyList()
            Accounts.heads(of: users, app: app, into: &keys)
            var missing: UserID?
            let users = users
            try transaction.read(keys) { place, bytes in
                if bytes == nil, missing == nil { missing = users[place] }
            }
            return missing
        }
        if let missing { throw .unknownUser(missing) }
        let isReached = try snapshot.read { (transaction) throws(StorageError) in
            try least.isReached(app, in: transaction)
        }
        guard isReached else { throw least.notIssued }
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
