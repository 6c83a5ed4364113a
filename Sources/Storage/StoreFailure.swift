internal import Synchronization

/// Says that a store has failed for good, to all parts that must know.
///
/// Each of these reports it: the engine's answer to a write, the engine's work in the background,
/// and a check that finds the data folder gone. From then on the store accepts no write, and its
/// server ends service. Only the next opening of the store shows what the engine has on the device.
package final class StoreFailure: Sendable {
    private struct State {
        var found: StorageError?
        var listeners: [@Sendable (StorageError) -> Void] = []
    }

    private let state = Mutex(State())

    package init() {}

    /// The first error that was reported; nil as long as all is well.
    package var found: StorageError? { state.withLock { $0.found } }

    /// Reports that the store has failed; only the first report counts.
    ///
    /// Every closure given to ``whenFound(_:)`` runs before this returns, on this thread.
    package func report(_ error: StorageError) {
        let listeners = state.withLock { state -> [@Sendable (StorageError) -> Void] in
            guard state.found == nil else { return [] }
            state.found = error
            defer { state.listeners = [] }
            return state.listeners
        }
        for listener in listeners { listener(error) }
    }

    /// Runs `body` once, when the store fails; at once if it has failed already.
    ///
    /// - Important: It may run on the thread that writes, and must neither wait for a write nor
    ///   use the store.
    package func whenFound(_ body: @escaping @Sendable (StorageError) -> Void) {
        let found = state.withLock { state in
            if state.found == nil { state.listeners.append(body) }
            return state.found
        }
        if let found { body(found) }
    }

    /// Refuses work that comes after the error.
    ///
    /// - Throws: ``StorageError`` with the code `stopped` if the store has failed.
    package func check() throws(StorageError) {
        guard let found else { return }
        throw StorageError(.stopped, "the store has failed and accepts no more work: \(found)")
    }
}
