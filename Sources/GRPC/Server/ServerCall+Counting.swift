import NIOCore
import Synchronization

// The numbers that a call adds to the counters of its loop.
extension ServerCall {
    /// Counts a call that begins.
    func countOpening(_ method: MethodEntry, on loop: ServerLoop) {
        loop.meter.opened(method.index)
        state.isTimed = method.isTimed
    }

    /// Counts a message for the handler.
    func countRequest(_ bytes: Int, _ method: MethodEntry, on loop: ServerLoop) {
        loop.meter.received(method.index, bytes)
        state.times.arrival = loop.nanoseconds
        notes?.received(bytes, at: loop.now)
    }

    /// Counts an answer; its bytes are those before it is packed.
    func countAnswer(_ bytes: Int) {
        guard let methodIndex else { return }
        onLoop { $0.meter.sent(methodIndex, bytes) }
        notes?.sentBytes += bytes
    }

    /// Counts a call that has ended, with its way as far as the call had one.
    func countEnd() {
        guard let methodIndex else { return }
        onLoop { loop in
            if loop.meter.isFull { loop.settleMeter() }
            loop.meter.ended(methodIndex, state.code, state.isTimed ? endedTimes : nil)
        }
    }

    private var endedTimes: CallTimes {
        guard state.times.handed != 0 else {
            // A request that never came whole cost the server no time.
            if state.times.arrival == 0 { state.times.arrival = loop.nanoseconds }
            return state.times
        }
        var times = state.times
        times.began = Int64(clamping: begunAt.load(ordering: .relaxed))
        return times
    }

    /// Notes that the call leaves its loop for another thread.
    func noteHandOver() {
        let now = loop.eventLoop.now.uptimeNanoseconds
        if state.times.handed == 0 { state.times.handed = Int64(clamping: now) }
        queuedAt.store(now, ordering: .relaxed)
        begunAt.store(0, ordering: .relaxed)
        if let notes, notes.isTraced { traceHandOver(notes, at: now) }
    }

    @inline(never)
    private func traceHandOver(_ notes: CallNotes, at now: UInt64) {
        notes.handed = now
        understoodAt.store(0, ordering: .relaxed)
        ranAt.store(0, ordering: .relaxed)
        rulesEndAt.store(0, ordering: .relaxed)
        committedAt.store(0, ordering: .relaxed)
    }

    /// Notes that the call is back.
    func noteReturn() {
        guard isOpen else { return }
        state.times.returned = loop.nanoseconds
        if let notes, notes.isTraced {
            notes.addWork(of: self, until: loop.now.uptimeNanoseconds)
        }
    }
}

extension CallHandle {
    /// Notes that the work waits for another thread from now on.
    ///
    /// Only the thread that has the work may call this, and ``begins(at:)``.
    package func queues(at now: UInt64) {
        guard isWork else { return }
        if isTraced {
            let begun = heldCall.begunAt.load(ordering: .relaxed)
            heldCall.understoodAt.store(begun, ordering: .relaxed)
        }
        heldCall.queuedAt.store(now, ordering: .relaxed)
    }

    /// Notes that a thread begins with the work.
    ///
    /// - Returns: How long the work has waited, in nanoseconds; nil for a handle that is not that
    ///   of work.
    @discardableResult
    package func begins(at now: UInt64) -> UInt64? {
        guard isWork else { return nil }
        // While there is work for a call, its object serves no other one.
        heldCall.begunAt.store(now, ordering: .relaxed)
        let queued = heldCall.queuedAt.load(ordering: .relaxed)
        return now > queued ? now - queued : 0
    }

    /// Notes when the rules of a write that is traced began and ended.
    package func ran(from start: UInt64, to end: UInt64) {
        guard isTraced else { return }
        heldCall.ranAt.store(start, ordering: .relaxed)
        heldCall.rulesEndAt.store(end, ordering: .relaxed)
    }

    /// Notes when the transaction of a write that is traced was durable, or had failed.
    package func committed(at now: UInt64) {
        guard isTraced else { return }
        heldCall.committedAt.store(now, ordering: .relaxed)
    }
}
