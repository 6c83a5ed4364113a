internal import Synchronization

/// That a store has failed for good, told to all who have to know.
///
/// Whoever sees it reports it: the engine's answer to a write, its work behind the writes, or
/// somebody who finds the data folder gone. From then on the store takes no write, and whoever
/// serves it ends service: what the engine has on the device is known only when it is opened again.
package final class HardFault: Sendable {
    private struct State {
        var found: StorageError?
        var listeners: [@Sendable (StorageError) -> Void] = []
    }

    private let state = Mutex(State())

    package init() {}

    /// What was reported first; nil as long as all is well.
    package var found: StorageError? { state.withLock { $0.found } }

    /// Says that the store has failed; only the first report counts.
    ///
    /// Whoever asked for it is told before this returns, on this thread.
    package func report(_ error: StorageError) {
        let listeners = state.withLock { state -> [@Sendable (StorageError) -> Void] in
            guard state.found == nil else { return [] }
            state.found = error
            defer { state.listeners = [] }
            return state.listeners
        }
        for listener in listeners { listener(error) }
    }

    /// Runs `body` once, when the store has failed; at once if it has already.
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

    /// Refuses what comes after the fault.
    ///
    /// - Throws: ``StorageError`` with the code `stopped` if the store has failed.
    package func check() throws(StorageError) {
        guard let found else { return }
        throw StorageError(.stopped, "the store takes nothing more since it failed: \(found)")
    }
}
