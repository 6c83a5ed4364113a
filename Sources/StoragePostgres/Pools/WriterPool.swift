internal import Storage
internal import Support
internal import Synchronization

/// The writers of a store, for threads that take one at a time.
final class WriterPool: Sendable {
    private struct State {
        var idle: [Writer]
        var isClosed = false
    }

    private let state: Mutex<State>
    private let free: SteadySemaphore
    private let patience: Int
    private let count: Int

    init(_ database: PostgresDatabase) {
        let options = database.options
        let fence = Fence(database)
        let writers = (0..<options.writers).map { _ in Writer(database, fence) }
        state = Mutex(State(idle: writers))
        free = SteadySemaphore(value: options.writers)
        count = options.writers
        patience = options.patienceMilliseconds
    }

    /// Takes a writer, until ``release(_:)``.
    func acquire() throws(StorageError) -> Writer {
        guard free.wait(nanoseconds: UInt64(max(0, patience)) * 1_000_000) else {
            throw StorageError(.unavailable, "no writer came free within \(patience) ms")
        }
        let writer = state.withLock { $0.isClosed ? nil : $0.idle.popLast() }
        guard let writer else {
            free.signal()
            throw ConnectionPool.closed
        }
        return writer
    }

    func release(_ writer: Writer) {
        let isClosed = state.withLock { state in
            state.idle.append(writer)
            return state.isClosed
        }
        if isClosed { writer.close() }
        free.signal()
    }

    func gauge(named name: String) -> NetworkGauges.Pool {
        let idle = state.withLock { $0.idle.count }
        return NetworkGauges.Pool(name: name, used: count - idle, most: count)
    }

    func close() {
        let idle = state.withLock { state in
            state.isClosed = true
            return state.idle
        }
        for writer in idle { writer.close() }
    }
}
