import RelationCore
import RelationModel
import Synchronization

/// The ends of users' sessions in one app: it refuses the signatures that were made before.
///
/// It is asked when a signature is recognised, and when anything has changed since. So a call whose
/// caller is known pays nothing for it. Moments only rise, so changes may come in any order.
final class EndedSessions: Sendable {
    fileprivate struct State {
        var beforeMs: [String: Int64] = [:]
        var floorMs: Int64 = 0
        /// Whether some stand under a digest of the id.
        var hasErased = false
        /// The number of the newest end that was read from the store.
        var last: Int64 = 0
    }

    /// The history of the app to which the numbers belong.
    let history: UInt64
    private let state: Mutex<State>

    init(_ sessions: AppSessions = AppSessions()) {
        history = sessions.history
        state = Mutex(State())
        add(sessions)
    }

    /// The number of the newest end that was read from the store.
    ///
    /// An end by a call of this server does not raise it: another server's, with a lower number,
    /// may still be unread.
    var last: Int64 { state.withLock { $0.last } }

    /// The number of users whose sessions have an end of their own.
    var count: Int { state.withLock { $0.beforeMs.count } }

    /// Adds what was read from the store.
    func add(_ sessions: AppSessions) {
        state.withLock { state in
            for (user, beforeMs) in sessions.ends { state.end(user, beforeMs) }
            state.last = max(state.last, sessions.last)
            guard sessions.floorMs > state.floorMs else { return }
            state.floorMs = sessions.floorMs
            state.beforeMs = state.beforeMs.filter { $0.value > sessions.floorMs }
        }
    }

    /// Adds what a call of this server has changed.
    func add(_ change: SessionChange) {
        state.withLock { state in
            for (user, beforeMs) in change.ends { state.end(user, beforeMs) }
            state.floorMs = max(state.floorMs, change.floorMs)
            for user in change.dropped where state.beforeMs[user.text] ?? .max <= state.floorMs {
                state.beforeMs[user.text] = nil
            }
        }
    }

    /// Whether a signature of `user` that was made at `issuedMs` is refused.
    func refuses(_ user: UserID, issuedMs: Int64) -> Bool {
        state.withLock { state in
            var beforeMs = max(state.floorMs, state.beforeMs[user.text] ?? 0)
            if state.hasErased {
                let name = SessionRules.erasedName(of: user).text
                beforeMs = max(beforeMs, state.beforeMs[name] ?? 0)
            }
            return issuedMs < beforeMs
        }
    }
}

extension EndedSessions.State {
    fileprivate mutating func end(_ user: UserID, _ timeMs: Int64) {
        guard timeMs > floorMs else { return }
        if SessionRules.isErased(user) { hasErased = true }
        beforeMs[user.text] = max(beforeMs[user.text] ?? 0, timeMs)
    }
}
