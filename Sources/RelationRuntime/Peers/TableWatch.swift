import GRPC
package import Storage
import Synchronization

/// Looks every second whether a store that several servers share can still be written, and what its
/// clock says.
///
/// A table that is gone is an error at once. One that another session has locked is an error when
/// that lasts: a short lock belongs to the upkeep of any database.
package final class TableWatch: Sendable {
    private struct State {
        /// Since when no check has succeeded.
        var failing: UInt64?
        var hasFailed = false
    }

    private let peers: any StorePeers
    private let time: StoreClock
    private let clock: @Sendable () -> UInt64
    private let thread: WorkThread
    private let isStopped = Atomic(false)
    private let state = Mutex(State())
    private let onError: @Sendable (StorageError?) -> Void

    /// - Parameters:
    ///   - clock: The clock by which a locked table is an error; nil for that of the threads.
    ///   - onError: Learns of an error, and gets nil when it has passed.
    package init(
        _ peers: any StorePeers, _ time: StoreClock,
        clock: (@Sendable () -> UInt64)? = nil, threads: ThreadSource = .system,
        onError: @escaping @Sendable (StorageError?) -> Void
    ) {
        self.peers = peers
        self.time = time
        self.clock = clock ?? threads.clock
        thread = threads.make("tables")
        self.onError = onError
    }

    /// Takes the store's time, and goes on in the background.
    ///
    /// - Throws: ``StorageError`` if the store does not answer.
    package func start() throws(StorageError) {
        try time.measure { () throws(StorageError) in try peers.checkTables() }
        again()
    }

    package func stop() {
        isStopped.store(true, ordering: .relaxed)
        thread.wait()
    }

    private func again() {
        thread.run(afterMilliseconds: RuntimeLimits.tableCheckMilliseconds) { [weak self] in
            guard let self, !self.isStopped.load(ordering: .relaxed) else { return }
            self.check()
            self.again()
        }
    }

    /// Checks once.
    package func check() {
        var failure: StorageError?
        do throws(StorageError) {
            try time.measure { () throws(StorageError) in try peers.checkTables() }
        } catch {
            failure = error
        }
        let now = clock()
        let change = state.withLock { state -> StorageError?? in
            guard let failure else {
                defer { state = State() }
                return state.hasFailed ? .some(nil) : nil
            }
            let since = state.failing ?? now
            state.failing = since
            let lasts = now - since >= UInt64(RuntimeLimits.lockedTableMilliseconds) * 1_000_000
            guard !state.hasFailed, lasts || failure.code == .foreign else { return nil }
            state.hasFailed = true
            return .some(failure)
        }
        if let change { onError(change) }
    }
}
