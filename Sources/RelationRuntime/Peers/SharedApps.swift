import GRPC
package import RelationAdmission
package import RelationCore
package import Storage
import Synchronization

/// Keeps the apps of this process as the store has them, where other servers change them too.
///
/// It reads the registry's version once a second, and when another server has reported a change. In
/// the same transaction it renews the lease, which confirms that version. A server that changes the
/// registry answers when each lease confirms the change or has run out. A process without a lease
/// authorises no caller, commits nothing, and sends nothing. So no server acts on a credential
/// whose end was answered.
package final class SharedApps: Sendable {
    /// How this server stands with its store.
    package enum State: Sendable {
        case serving
        /// The lease has run out.
        case lapsed
        /// The lease is good, and a transaction does not come to its end, for this reason.
        case stalled(String)
        /// The store has gone back to an earlier state.
        case lostData(StorageError)

        fileprivate var kind: Int {
            switch self {
            case .serving: 0
            case .lapsed: 1
            case .stalled: 2
            case .lostData: 3
            }
        }
    }

    private let peers: any StorePeers
    private let apps: Apps
    private let thread: WorkThread
    /// Checks the time while the other thread waits for the store.
    private let clockThread: WorkThread
    private let isStopped = Atomic(false)
    /// Whether a renewal is queued already.
    private let isWoken = Atomic(false)
    private let known = Mutex(State.serving)
    private let onChange: @Sendable (State) -> Void

    /// - Parameter onChange: Learns of each change of the state.
    package init(
        _ peers: any StorePeers, _ apps: Apps, threads: ThreadSource = .system,
        onChange: @escaping @Sendable (State) -> Void
    ) {
        self.peers = peers
        self.apps = apps
        thread = threads.make("registry")
        clockThread = threads.make("lease")
        self.onChange = onChange
    }

    /// Takes the first lease, and goes on in the background.
    ///
    /// - Parameter stall: Why no transaction comes to its end; nil if they do.
    /// - Throws: ``StorageError`` if the store cannot give it.
    package func start(
        stall: @escaping @Sendable () -> String? = { nil }
    ) throws(StorageError) {
        try renew()
        guard peers.lease.isGood else {
            throw StorageError(.unavailable, "the store is too slow: a lease runs out at once")
        }
        again()
        check(stall)
    }

    /// Reads the registry soon, since another server has changed it.
    package func wake() {
        guard !isWoken.exchange(true, ordering: .sequentiallyConsistent) else { return }
        thread.run { [weak self] in
            guard let self, !self.isStopped.load(ordering: .relaxed) else { return }
            // Before the renewal: a later wake-up leads to another one.
            self.isWoken.store(false, ordering: .sequentiallyConsistent)
            self.tryToRenew()
        }
    }

    package func stop() {
        isStopped.store(true, ordering: .relaxed)
        thread.wait()
        clockThread.wait()
        peers.releaseLease()
    }

    private func again() {
        thread.run(afterMilliseconds: LeaseLimits.renewalMilliseconds) { [weak self] in
            guard let self, !self.isStopped.load(ordering: .relaxed) else { return }
            self.tryToRenew()
            self.again()
        }
    }

    private func tryToRenew() {
        do throws(StorageError) {
            try renew()
        } catch  where error.code == .lostData {
            // The store never comes to what clients have seen: this is reported once, and is the
            // end.
            peers.lease.finish()
            change(to: .lostData(error))
        } catch {
            // The next renewal may succeed; until then the lease runs out.
        }
    }

    /// Takes what is new in the registry, and renews the lease.
    private func renew() throws(StorageError) {
        for _ in 0..<RuntimeLimits.renewalsAtOnce {
            let isGood = try peers.renew { (transaction) throws(StorageError) in
                let version = try AppRules.version(in: transaction)
                guard version > apps.version else { return version }
                apps.replace(
                    try AppRules.active(in: transaction) ?? [],
                    try CredentialRules.all(beyond: apps.readSessions, in: transaction),
                    registry: try Identity.registry(in: transaction),
                    away: try MovedApps.away(in: transaction), version: version)
                // A later change by this server may keep it from taking this version.
                return apps.version
            }
            if isGood { return }
        }
    }

    private func check(_ stall: @escaping @Sendable () -> String?) {
        clockThread.run(afterMilliseconds: RuntimeLimits.leaseCheckMilliseconds) { [weak self] in
            guard let self, !self.isStopped.load(ordering: .relaxed) else { return }
            if !self.peers.lease.isGood {
                self.change(to: .lapsed)
            } else if let reason = stall() {
                self.change(to: .stalled(reason))
            } else {
                self.change(to: .serving)
            }
            self.check(stall)
        }
    }

    private func change(to state: State) {
        let isNew = known.withLock { known in
            // There is no way back from the last one.
            if case .lostData = known { return false }
            guard state.kind != known.kind else { return false }
            known = state
            return true
        }
        if isNew { onChange(state) }
    }
}
