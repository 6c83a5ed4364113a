import NIOCore
import Synchronization

/// Where other threads are with the work for a call; the thread that has the work writes it.
struct WorkTimes: ~Copyable {
    /// When the call began to wait for another thread, and when that thread took it.
    let queuedAt = Atomic<UInt64>(0)
    let begunAt = Atomic<UInt64>(0)
    /// The further points on the path of a call that is traced.
    ///
    /// They are the moment when it began to understand the request, the begin and the end of a
    /// write's rules, and the moment when the write was durable.
    let understoodAt = Atomic<UInt64>(0)
    let ranAt = Atomic<UInt64>(0)
    let rulesEndAt = Atomic<UInt64>(0)
    let committedAt = Atomic<UInt64>(0)
}

// The numbers that a call adds to the counters of its loop.
extension ServerCall {
    /// Counts a call that begins.
    func countOpening(_ method: MethodEntry, on loop: ServerLoop) {
        loop.meter.opened(method.index)
        parts.isTimed = method.isTimed
    }

    /// Counts a message for the handler.
    func countRequest(_ bytes: Int, _ method: MethodEntry, on loop: ServerLoop) {
        loop.meter.received(method.index, bytes)
        parts.times.arrival = loop.nanoseconds
        notes?.received(bytes, at: loop.now)
    }

    /// Counts an answer; its bytes are those before it is packed.
    func countAnswer(_ bytes: Int) {
        guard let methodIndex else { return }
        let group = parts.group
        onLoop { loop in
            loop.meter.sent(methodIndex, bytes)
            loop.meter.sent(bytes, toGroup: group)
        }
        notes?.sentBytes += bytes
    }

    /// Counts a call that has ended, with its way as far as the call had one.
    func countEnd() {
        guard let methodIndex else { return }
        onLoop { loop in
            if loop.meter.isFull { loop.settleMeter() }
            loop.meter.ended(
                methodIndex, parts.code, of: parts.group, parts.isTimed ? endedTimes : nil)
        }
    }

    /// The group of callers for which the call is counted too; 0 for none.
    ///
    /// A layer above sets it when it knows the caller. A group that is higher than
    /// ``ServerConfiguration/callGroups`` is not counted.
    package var group: Int {
        get { parts.group }
        set { parts.group = newValue }
    }

    private var endedTimes: CallTimes {
        guard parts.times.handed != 0 else {
            // A request that never came whole cost the server no time.
            if parts.times.arrival == 0 { parts.times.arrival = loop.nanoseconds }
            return parts.times
        }
        var times = parts.times
        times.began = Int64(clamping: way.begunAt.load(ordering: .relaxed))
        return times
    }

    /// Notes that the call leaves its loop for another thread.
    func noteHandOver() {
        let now = loop.eventLoop.now.uptimeNanoseconds
        if parts.times.handed == 0 { parts.times.handed = Int64(clamping: now) }
        way.queuedAt.store(now, ordering: .relaxed)
        way.begunAt.store(0, ordering: .relaxed)
        if let notes, notes.isTraced { traceHandOver(notes, at: now) }
    }

    @inline(never)
    private func traceHandOver(_ notes: CallNotes, at now: UInt64) {
        notes.handed = now
        way.understoodAt.store(0, ordering: .relaxed)
        way.ranAt.store(0, ordering: .relaxed)
        way.rulesEndAt.store(0, ordering: .relaxed)
        way.committedAt.store(0, ordering: .relaxed)
    }

    /// Notes that the call is back.
    func noteReturn() {
        guard isOpen else { return }
        parts.times.returned = loop.nanoseconds
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
            let begun = heldCall.way.begunAt.load(ordering: .relaxed)
            heldCall.way.understoodAt.store(begun, ordering: .relaxed)
        }
        heldCall.way.queuedAt.store(now, ordering: .relaxed)
    }

    /// Notes that a thread begins with the work.
    ///
    /// - Returns: How long the work has waited, in nanoseconds; nil for a handle that is not that
    ///   of work.
    @discardableResult
    package func begins(at now: UInt64) -> UInt64? {
        guard isWork else { return nil }
        // While there is work for a call, its object serves no other one.
        heldCall.way.begunAt.store(now, ordering: .relaxed)
        let queued = heldCall.way.queuedAt.load(ordering: .relaxed)
        return now > queued ? now - queued : 0
    }

    /// Notes when the rules of a write that is traced began and ended.
    package func ran(from start: UInt64, to end: UInt64) {
        guard isTraced else { return }
        heldCall.way.ranAt.store(start, ordering: .relaxed)
        heldCall.way.rulesEndAt.store(end, ordering: .relaxed)
    }

    /// Notes when the transaction of a write that is traced was durable, or had failed.
    package func committed(at now: UInt64) {
        guard isTraced else { return }
        heldCall.way.committedAt.store(now, ordering: .relaxed)
    }
}
