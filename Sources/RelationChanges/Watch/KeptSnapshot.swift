import RPC
import RelationCalls
import RelationCore
import Storage
import Synchronization

/// One read version of the store, from which every source reads.
///
/// It is taken at the first read, and given back when no reader needs it any more. A store with
/// standbys may take it from one of them: it has all that was committed before.
final class KeptSnapshot: Sendable {
    private struct State {
        var snapshot: (any Snapshot)?
        var reads = 0
        var isClosed = false

        /// The snapshot that is to be closed now, once.
        mutating func leftOver() -> (any Snapshot)? {
            guard isClosed, reads == 0 else { return nil }
            defer { snapshot = nil }
            return snapshot
        }
    }

    private let store: any Store
    private let state = Mutex(State())

    init(of store: any Store) {
        self.store = store
    }

    deinit {
        close()
    }

    /// - Throws: UNAVAILABLE if it was closed in the meantime: there is no client to answer.
    func read<Result>(
        _ body: (any ReadTransaction) throws(StorageError) -> Result
    ) throws(RPCError) -> Result {
        let isOpen = state.withLock { state in
            if !state.isClosed { state.reads += 1 }
            return !state.isClosed
        }
        guard isOpen else { throw RPCError(.unavailable, "the stream has ended") }
        defer {
            let leftOver = state.withLock { state in
                state.reads -= 1
                return state.leftOver()
            }
            leftOver?.close()
        }
        do throws(StorageError) {
            return try taken().read(body)
        } catch {
            throw RPCError(error)
        }
    }

    /// The snapshot of the store, taken now if there is none yet.
    ///
    /// Reads come one after another, so only one of them takes it.
    private func taken() throws(StorageError) -> any Snapshot {
        if let known = state.withLock({ $0.snapshot }) { return known }
        let snapshot = try store.longSnapshot()
        state.withLock { $0.snapshot = snapshot }
        return snapshot
    }

    func close() {
        let leftOver = state.withLock { state in
            state.isClosed = true
            return state.leftOver()
        }
        leftOver?.close()
    }
}
