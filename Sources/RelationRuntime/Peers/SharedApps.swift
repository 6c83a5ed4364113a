import GRPC
package import RelationAdmission
import RelationCore
package import Storage
import Synchronization

/// Keeps the apps of this process as the store has them, where other servers change them too.
///
/// It reads the registry's version once a second, and when another server has told of a change. It
/// then renews the lease, in which it confirms that version. A server that changes the registry
/// answers when each lease confirms the change or has run out. If this process cannot renew its
/// lease, it lets no caller in. So no server acts on a credential whose end was answered.
package final class SharedApps: Sendable {
    private let store: any Store
    private let peers: any StorePeers
    private let apps: Apps
    private let thread = WorkThread("registry")
    /// Looks at the time while the other thread waits for the store.
    private let clockThread = WorkThread("lease")
    private let isStopped = Atomic(false)
    /// Whether a look waits for its turn already.
    private let isWoken = Atomic(false)
    /// The beginning of the last renewal that succeeded.
    private let renewed: Atomic<UInt64>
    private let isLapsed = Atomic(false)
    private let hasGoneBack = Atomic(false)
    private let onLapse: @Sendable (Bool, StorageError?) -> Void

    /// - Parameter onLapse: Learns that the lease has run out, and that it is good again. It gets
    ///   an error if the store has gone back to an earlier moment.
    package init(
        _ store: any Store, _ peers: any StorePeers, _ apps: Apps,
        onLapse: @escaping @Sendable (Bool, StorageError?) -> Void
    ) {
        self.store = store
        self.peers = peers
        self.apps = apps
        self.onLapse = onLapse
        renewed = Atomic(0)
    }

    /// Takes the first lease, and goes on in the background.
    ///
    /// - Throws: ``StorageError`` if the store cannot give it.
    package func start() throws(StorageError) {
        try look()
        again()
        check()
    }

    /// Looks at the registry soon, since another server has changed it.
    package func wake() {
        guard !isWoken.exchange(true, ordering: .sequentiallyConsistent) else { return }
        thread.run { [weak self] in
            guard let self, !self.isStopped.load(ordering: .relaxed) else { return }
            // Before the look: a later word leads to another one.
            self.isWoken.store(false, ordering: .sequentiallyConsistent)
            self.tryToLook()
        }
    }

    package func stop() {
        isStopped.store(true, ordering: .relaxed)
        thread.wait()
        clockThread.wait()
        peers.leave()
    }

    private func again() {
        thread.run(afterMilliseconds: LeaseLimits.renewalMilliseconds) { [weak self] in
            guard let self, !self.isStopped.load(ordering: .relaxed) else { return }
            self.tryToLook()
            self.again()
        }
    }

    private func tryToLook() {
        do throws(StorageError) {
            try look()
        } catch  where error.code == .wentBack {
            // The store never comes to what clients have seen: this is told once, and is the end.
            apps.lapse(true)
            isLapsed.store(true, ordering: .sequentiallyConsistent)
            guard !hasGoneBack.exchange(true, ordering: .sequentiallyConsistent) else { return }
            onLapse(true, error)
        } catch {
            // The next look may succeed; until then the lease runs out, and says so.
        }
    }

    /// Takes what is new in the registry, and renews the lease.
    private func look() throws(StorageError) {
        let began = Deadline.clock
        let known = apps.version
        let found = try store.read { (transaction) throws(StorageError) -> Found in
            let version = try AppRules.version(in: transaction)
            guard version > known else { return .nothing(version) }
            return .registry(
                version, try AppRules.active(in: transaction) ?? [],
                try CredentialRules.all(in: transaction))
        }
        let version: Int64
        switch found {
        case .nothing(let same): version = same
        case .registry(let newer, let all, let credentials):
            version = newer
            apps.replace(all, credentials, version: newer)
        }
        try peers.renew(knowing: version)
        renewed.store(began, ordering: .sequentiallyConsistent)
        lapse(false)
    }

    private enum Found {
        case nothing(Int64)
        case registry(Int64, [App], [AppCredentials])
    }

    private func check() {
        clockThread.run(afterMilliseconds: RuntimeLimits.leaseLookMilliseconds) { [weak self] in
            guard let self, !self.isStopped.load(ordering: .relaxed) else { return }
            let age = Deadline.clock - self.renewed.load(ordering: .sequentiallyConsistent)
            if age > UInt64(LeaseLimits.reliedMilliseconds) * 1_000_000 { self.lapse(true) }
            self.check()
        }
    }

    private func lapse(_ isLapsed: Bool) {
        apps.lapse(isLapsed)
        if self.isLapsed.exchange(isLapsed, ordering: .sequentiallyConsistent) != isLapsed {
            onLapse(isLapsed, nil)
        }
    }
}
