import Dispatch
import Storage
import Synchronization

/// A store whose writes wait as long as a test wants.
final class HeldStore: Store {
    private struct State {
        var isHeld = false
        var waiting: [CheckedContinuation<Void, Never>] = []
        var writes = 0
    }

    private let inner = MemoryStore()
    private let state = Mutex(State())
    private let gate = Gate()

    /// From now on writes wait.
    func hold() {
        state.withLock { $0.isHeld = true }
        gate.shut()
    }

    /// Writes go on, if they were held.
    func release() {
        let wasHeld = state.withLock { state in
            defer { state.isHeld = false }
            return state.isHeld
        }
        if wasHeld { gate.open() }
    }

    /// Returns once the write of a call waits, or the test has hung.
    func held() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isThere = state.withLock { state in
                    let isThere = state.writes > 0 || Task.isCancelled
                    if !isThere { state.waiting.append(continuation) }
                    return isThere
                }
                if isThere { continuation.resume() }
            }
        } onCancel: {
            let waiting = state.withLock { state in
                defer { state.waiting = [] }
                return state.waiting
            }
            for continuation in waiting { continuation.resume() }
        }
    }

    /// False, so that the writes of calls name the partitions that they touch.
    ///
    /// The writes of maintenance name none, and so a test can tell the two apart.
    var isLocal: Bool { false }

    func read<Result>(
        reaching reach: Reach, _ body: (any ReadTransaction) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        try inner.read(reaching: reach, body)
    }

    func snapshot() throws(StorageError) -> any Snapshot { try inner.snapshot() }

    func write<Result>(
        touching partitions: [Partition],
        _ body: (any WriteTransaction) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        // Maintenance goes on: it would hold the thread that commits, and no call would come.
        guard !partitions.isEmpty else { return try inner.write(touching: partitions, body) }
        let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            guard state.isHeld else { return [] }
            state.writes += 1
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
        gate.pass()
        return try inner.write(touching: partitions, body)
    }

    func close() { inner.close() }
}

/// A gate at which threads wait while it is shut.
private final class Gate: Sendable {
    private let lock = DispatchSemaphore(value: 1)

    func shut() { lock.wait() }

    func open() { lock.signal() }

    func pass() {
        lock.wait()
        lock.signal()
    }
}
