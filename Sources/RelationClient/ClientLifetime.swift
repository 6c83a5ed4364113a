internal import Synchronization

/// Whether a client is open, and who waits for its end.
final class ClientLifetime: Sendable {
    private let closed = Atomic(false)
    /// The ends of those who wait; nil after the end.
    private let waiting = Mutex<[AsyncStream<Void>.Continuation]?>([])

    /// Whether the client was closed.
    var isOver: Bool { closed.load(ordering: .relaxed) }

    /// Notes the end, and wakes those who wait for it.
    func end() {
        closed.store(true, ordering: .relaxed)
        let waiting = waiting.withLock { waiting in
            let all = waiting ?? []
            waiting = nil
            return all
        }
        for one in waiting { one.finish() }
    }

    /// Waits until the client is closed, or the task is cancelled.
    func untilEnd() async {
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let isOpen = waiting.withLock { waiting in
            waiting?.append(end)
            return waiting != nil
        }
        guard isOpen else { return }
        for await _ in ends {}
    }
}
