import Storage
import Synchronization

/// Things of one kind, which threads take one at a time, and of which there are so many at most.
final class ModelPool<Thing: AnyObject & Sendable>: Sendable {
    private struct State {
        var idle: [Thing] = []
        var used = 0
        var isClosed = false
    }

    private let client: ModelClient
    private let count: Int
    private let state = Mutex(State())

    init(_ client: ModelClient, _ count: Int) { (self.client, self.count) = (client, count) }

    /// Takes one that is idle; nil if the taker is to make one.
    ///
    /// - Throws: ``StorageError`` with the code `unavailable`: the pool is closed, or all stay in
    ///   use for as long as one waits.
    func acquire() throws(StorageError) -> Thing? {
        let end = client.time.now + UInt64(client.options.patienceMilliseconds) * 1_000_000
        var taken: Thing??
        _ = client.wait(until: end) {
            // The question may come again after its answer.
            guard taken == nil else { return true }
            taken = state.withLock { state in
                guard !state.isClosed, state.used < count else { return nil }
                state.used += 1
                return .some(state.idle.popLast())
            }
            return taken != nil || isClosed
        }
        guard let taken else {
            throw StorageError(
                .unavailable, isClosed ? "the store is closed" : "none came free in time")
        }
        return taken
    }

    /// - Parameter thing: Nil if it is of no use any more.
    /// - Returns: Whether it is kept.
    func release(_ thing: Thing?) -> Bool {
        defer { client.time.changed() }
        return state.withLock { state in
            state.used -= 1
            guard let thing, !state.isClosed else { return false }
            state.idle.append(thing)
            return true
        }
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// - Returns: The things that are idle.
    func close() -> [Thing] {
        state.withLock { state in
            defer { (state.idle, state.isClosed) = ([], true) }
            return state.idle
        }
    }
}

extension ModelPool<ModelConnection> {
    /// A connection that works, as far as is known.
    func connection(
        _ make: () throws(StorageError) -> ModelConnection
    ) throws(StorageError) -> ModelConnection {
        if let idle = try acquire() {
            if idle.isAlive { return idle }
            idle.close()
        }
        do throws(StorageError) {
            return try make()
        } catch {
            _ = release(nil)
            throw error
        }
    }

    func release(connection: ModelConnection) {
        if !release(connection.isBroken ? nil : connection) { connection.close() }
    }
}
