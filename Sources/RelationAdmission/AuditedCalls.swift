import GRPC
package import RPC
import RelationCalls
package import RelationCore
package import RelationModel
import Synchronization

/// Calls of administrators and operators that no write records, on a server that records every
/// call.
///
/// A call acquires a slot before it looks at a row, and is refused if there is none. So no answer
/// goes out whose record finds no room, and no answer waits for a commit. Calls that differ in
/// nothing but their time are one record, from one commit to the next. A record that could not be
/// stored keeps its slot until it is. A crash loses what waits.
package final class AuditedCalls: Sendable {
    private struct State {
        var waiting: [CountedCalls: CallCount] = [:]
        /// The slots of calls under way.
        var slots = 0
        /// The slots of records that the committer has.
        var underWay = 0
        /// Whether a commit was asked for since the last one.
        var isAwake = false
        var refused = 0
        var wake: @Sendable () -> Void = {}

        var taken: Int { waiting.count + slots + underWay }
    }

    /// The slots at a moment, and the calls without one.
    package struct Reading: Equatable, Sendable {
        /// How many slots calls under way and waiting records have.
        package let taken: Int
        /// How many slots there are.
        package let most: Int
        /// How many calls found no slot since the start.
        package let refused: Int
    }

    private let state = Mutex(State())
    private let isKept = Atomic(false)
    private let randomness: Randomness
    /// How many slots there are.
    private let most: Int

    init(_ randomness: Randomness, most: Int) {
        self.randomness = randomness
        self.most = most
    }

    /// Whether every call is recorded.
    package var isOn: Bool { isKept.load(ordering: .relaxed) }

    func turn(on: Bool) {
        isKept.store(on, ordering: .relaxed)
    }

    /// Has `wake` called, on any thread, when half of the slots are taken.
    package func whenHalfFull(_ wake: @escaping @Sendable () -> Void) {
        state.withLock { $0.wake = wake }
    }

    /// The slots now; nil if not every call is recorded.
    package var reading: Reading? {
        guard isOn else { return nil }
        return state.withLock { Reading(taken: $0.taken, most: most, refused: $0.refused) }
    }

    // MARK: Slots

    /// Acquires a slot for a call that begins.
    ///
    /// - Throws: ``RPCError``: RESOURCE_EXHAUSTED if there is none.
    package func enter() throws(RPCError) {
        let (isIn, wake) = state.withLock { state -> (Bool, (@Sendable () -> Void)?) in
            let isIn = state.taken < most
            if isIn { state.slots += 1 } else { state.refused += 1 }
            guard 2 * state.taken >= most, !state.isAwake else { return (isIn, nil) }
            state.isAwake = true
            return (isIn, state.wake)
        }
        wake?()
        guard isIn else { throw .auditFull }
    }

    /// Releases the slot of a call that had no answer.
    package func release() {
        state.withLock { $0.slots -= 1 }
    }

    /// Records a call that has a slot.
    package func note(_ row: AuditRow, app: UInt32, at now: Timestamp) {
        state.withLock { state in
            state.slots -= 1
            state.waiting[CountedCalls(row, app), default: CallCount()].add(row, at: now)
        }
    }

    /// Records a call that failed, if there is a slot: its answer tells nothing but that.
    package func noteFailure(_ row: AuditRow, app: UInt32, at now: Timestamp) {
        guard (try? enter()) != nil else { return }
        note(row, app: app, at: now)
    }

    // MARK: The store

    /// Takes the next records to be stored, until ``stored(_:)`` or ``requeue(_:)``; empty if none
    /// wait.
    package func take() -> [UInt32: [AuditRow]] {
        let taken = state.withLock { state -> [(CountedCalls, CallCount)] in
            state.isAwake = false
            let next = Array(state.waiting.prefix(Limits.auditCallsPerCommit))
            for (kind, _) in next { state.waiting[kind] = nil }
            state.underWay += next.count
            return next.map { ($0.key, $0.value) }
        }
        var rows: [UInt32: [AuditRow]] = [:]
        for (kind, count) in taken {
            rows[kind.app, default: []].append(AuditTrail.sealed(kind.row(count), randomness))
        }
        return rows.mapValues { $0.sorted { $0.timeMs < $1.timeMs } }
    }

    /// Releases the slots of records that are stored.
    package func stored(_ rows: [UInt32: [AuditRow]]) {
        state.withLock { $0.underWay -= rows.values.reduce(0) { $0 + $1.count } }
    }

    /// Lets records wait again that could not be stored.
    package func requeue(_ rows: [UInt32: [AuditRow]]) {
        state.withLock { state in
            for (app, rows) in rows {
                state.underWay -= rows.count
                for row in rows {
                    let now = Timestamp(milliseconds: row.timeMs)
                    state.waiting[CountedCalls(row, app), default: CallCount()].add(row, at: now)
                }
            }
        }
    }
}

extension RPCError {
    /// As many records of calls wait for the store as may.
    fileprivate static let auditFull = RPCError(
        .resourceExhausted, .overloaded,
        "the server records every call, and too many records wait; try again later",
        .retryAfter(milliseconds: AnswerLimits.retryAfterMilliseconds)
    ).prepared
}
