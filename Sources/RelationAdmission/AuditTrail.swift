import Protobuf
package import RPC
package import RelationCalls
package import RelationCore
package import RelationModel
import Synchronization

/// The part of the audit that no write carries: calls that were refused, and calls without a write.
///
/// They wait here, are counted, and go into the store together. So a flood of refusals costs a
/// bounded number of records. A crash loses what waits.
///
/// A server without an audit never comes here, but for a look whether it has one.
package final class AuditTrail: Sendable {
    private struct State {
        var waiting: [CountedCalls: CallCount] = [:]
        /// The kinds of refusals of each app among them.
        var refusals: [UInt32: Int] = [:]
        /// When the refusals that wait began.
        var refusedSinceMs: Int64?
        var hasCalls = false
    }

    private let state = Mutex(State())
    private let keptDays = Atomic(0)
    private let hasWaiting = Atomic(false)
    private let randomness: Randomness

    /// The calls that no write records, on a server that records every call.
    package let calls: AuditedCalls

    package init(randomness: Randomness = .system, mostCalls: Int = Limits.auditCalls) {
        self.randomness = randomness
        calls = AuditedCalls(randomness, most: mostCalls)
    }

    /// For how many days records are kept; 0 if none is made.
    package var days: Int { keptDays.load(ordering: .relaxed) }
    package var isOn: Bool { days > 0 }

    /// Begins to make records, or ends that.
    ///
    /// - Parameter everyCall: Whether calls without a write are recorded too, and writes that
    ///   change nothing.
    package func configure(days: Int, everyCall: Bool = false) {
        keptDays.store(days, ordering: .relaxed)
        calls.turn(on: everyCall && days > 0)
    }

    // MARK: Records

    /// The record of a call, without its outcome.
    ///
    /// - Parameters:
    ///   - caller: The caller; nil if no credential was recognised.
    ///   - path: The path of the call, as in `/pkg.Service/Name`.
    package static func row(
        _ kind: AuditKind, _ caller: Caller?, _ path: String, from peer: String
    ) -> AuditRow {
        var row = AuditRow()
        row.kind = kind
        row.count = 1
        row.method = String(path.drop { $0 == "/" })
        row.address = PeerNetwork.name(of: peer)
        guard let caller else { return row }
        row.caller = caller.label(namingUsers: false)
        row.callerName = caller.credential?.keyName ?? ""
        row.userID = caller.user?.text ?? ""
        return row
    }

    /// Sets the outcome of a call that failed.
    package static func set(_ error: RPCError, in row: inout AuditRow) {
        row.code = Int32(error.code.rawValue)
        let prefix = "ERROR_REASON_"
        let name = ErrorReason(rawValue: Int32(error.reason)).name ?? prefix
        row.reason = error.reason == 0 ? "" : String(name.dropFirst(prefix.count))
    }

    /// `row` with its user and its request id in the form that can be erased.
    package func sealed(_ row: AuditRow) -> AuditRow { Self.sealed(row, randomness) }

    static func sealed(_ row: AuditRow, _ randomness: Randomness) -> AuditRow {
        var row = row
        if !row.userID.isEmpty {
            row.userSalt = randomness.bytes(Limits.auditSaltBytes)
            row.userDigest = AuditChain.digest(ofUser: row.userID, row.userSalt)
        }
        if !row.requestID.isEmpty {
            row.requestDigest = AuditChain.digest(
                ofRequest: row.requestID, randomness.bytes(Limits.auditSaltBytes))
        }
        return row
    }

    // MARK: Calls without a write

    /// Counts a call until it goes into the store.
    package func note(_ row: AuditRow, app: UInt32, at now: Timestamp) {
        state.withLock { state in
            let kind = kind(of: row, app, in: &state)
            state.waiting[kind, default: CallCount()].add(row, at: now)
            if row.kind == .refusal {
                state.refusedSinceMs = state.refusedSinceMs ?? now.milliseconds
            } else {
                state.hasCalls = true
            }
        }
        hasWaiting.store(true, ordering: .relaxed)
    }

    /// The kind as which the call is counted: its own if there is room for one more.
    private func kind(of row: AuditRow, _ app: UInt32, in state: inout State) -> CountedCalls {
        let together = CountedCalls(ofAllLike: row, app)
        let own = CountedCalls(row, app)
        guard state.waiting[own] == nil else { return own }
        let refusals = state.refusals[app, default: 0]
        let isFull =
            row.kind == .refusal && refusals >= Limits.auditRefusalKinds
            || state.waiting.count >= Limits.auditWaiting
        guard !isFull else { return together }
        if row.kind == .refusal { state.refusals[app] = refusals + 1 }
        return own
    }

    /// Takes what is due: calls at once, refusals after about a minute.
    ///
    /// - Parameter all: Whether everything is due, because the server stops.
    package func take(at now: Timestamp, all: Bool = false) -> [UInt32: [AuditRow]] {
        guard hasWaiting.load(ordering: .relaxed) else { return [:] }
        let taken = state.withLock { state -> [CountedCalls: CallCount] in
            let wait = now.milliseconds - (state.refusedSinceMs ?? now.milliseconds)
            let areRefusalsDue = all || !(0..<Limits.auditRefusalMilliseconds).contains(wait)
            guard areRefusalsDue || state.hasCalls else { return [:] }
            let due = state.waiting.filter { areRefusalsDue || !$0.key.isRefusal }
            if areRefusalsDue {
                state = State()
            } else {
                state.waiting = state.waiting.filter { $0.key.isRefusal }
                state.hasCalls = false
            }
            hasWaiting.store(!state.waiting.isEmpty, ordering: .relaxed)
            return due
        }
        var rows: [UInt32: [AuditRow]] = [:]
        for (kind, count) in taken {
            rows[kind.app, default: []].append(Self.sealed(kind.row(count), randomness))
        }
        return rows.mapValues { $0.sorted { $0.timeMs < $1.timeMs } }
    }

    /// Counts rows again that could not be stored.
    package func requeue(_ rows: [UInt32: [AuditRow]]) {
        for (app, rows) in rows {
            for row in rows { note(row, app: app, at: Timestamp(milliseconds: row.timeMs)) }
        }
    }
}

extension CallerCredential {
    /// The name of the key, for people; nil for a signature.
    fileprivate var keyName: String? {
        switch self {
        case .operatorKey(let key), .key(_, let key): key.record.name
        case .signature: nil
        }
    }
}
