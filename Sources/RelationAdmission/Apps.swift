import GRPC
package import RPC
import RelationCalls
package import RelationCore
package import RelationModel
package import Storage
import Synchronization

/// The apps of this process with their settings and credentials, as the store has them.
///
/// Every call finds its app and the app's credentials here, and reads nothing from the store for
/// that. Only the committer's thread changes them. A write notes its change here, and later writes
/// of the same transaction see it at once. Everyone else sees it when the transaction is committed,
/// before the write is answered.
package final class Apps: Sendable {
    private struct State {
        /// The app that stands for the server as a whole, with the history of the store.
        var registry: App
        /// In ascending order of the numbers.
        var apps: [App]
        /// The keyring of each app; under 0, the keyring of the server.
        var keyrings: [UInt32: AppKeyring]
        /// The apps that live in another database, or are on their way.
        var away: Set<UInt32>
        /// The version of the registry that they have; it is counted where servers share a store.
        var version: Int64
        /// The highest version with a change by this process.
        var ownVersion: Int64 = 0
        /// The changes of the transaction under way.
        var staged: [AppChange] = []
        var stagedCredentials: [CredentialChange] = []
        var stagedSessions: [SessionChange] = []
        /// Whether the transaction under way answers what an earlier one has changed.
        var answersEarlierChange = false

        var hasStaged: Bool {
            !staged.isEmpty || !stagedCredentials.isEmpty || !stagedSessions.isEmpty
        }

        mutating func takeStaged() -> Staged {
            defer { (staged, stagedCredentials, stagedSessions) = ([], [], []) }
            return Staged(apps: staged, credentials: stagedCredentials, sessions: stagedSessions)
        }
    }

    private struct Follower {
        weak var apps: Apps?
    }

    /// The next time at which something of each app ends: a subscription, or an application that
    /// waits.
    package let ends = DueTimes()
    /// The bytes of the apps' histories.
    package let histories = HistorySizes()
    /// The apps whose calls are counted each by itself.
    package let counted: CountedApps
    /// The audit of calls, which a server may have.
    package let audit = AuditTrail()
    private let state: Mutex<State>
    private let changes = Atomic<UInt64>(0)
    /// The number of apps that are away, for those who ask often.
    private let awayCount: Atomic<Int>
    /// The apps of other stores whose findings rest on these too.
    private let followers = Mutex<[Follower]>([])
    /// How long this process may rely on what it has; nil if no other changes it.
    private let lease: Lease?

    package init(
        _ apps: [App], _ credentials: [AppCredentials] = [], registry: App = .registry,
        away: [UInt32] = [], version: Int64 = 0, lease: Lease? = nil,
        counted: CountedApps = CountedApps()
    ) {
        self.lease = lease
        self.counted = counted
        awayCount = Atomic(away.count)
        let (apps, keyrings) = Self.sorted(apps, credentials)
        state = Mutex(
            State(
                registry: registry, apps: apps, keyrings: keyrings, away: Set(away),
                version: version))
    }

    /// Counts a refusal for the audit of an app that there is, or of the server.
    package func noteRefusal(_ row: AuditRow, of app: UInt32, at now: Timestamp) {
        guard app == App.registry.id || self[app] != nil else { return }
        audit.note(row, app: app, at: now)
    }

    /// - Parameter known: The keyrings so far.
    private static func sorted(
        _ apps: [App], _ credentials: [AppCredentials], _ known: [UInt32: AppKeyring] = [:]
    ) -> ([App], [UInt32: AppKeyring]) {
        var keyrings = [App.registry.id: AppKeyring()]
        for app in apps { keyrings[app.id] = AppKeyring() }
        for row in credentials { keyrings[row.app] = AppKeyring(row, known[row.app]) }
        for app in apps { keyrings[app.id]?.apply(app.settings.bounds) }
        return (apps.sorted { $0.id < $1.id }, keyrings)
    }

    /// Reads the apps of `store`.
    ///
    /// A store that never had an app gets ``Authenticator/defaultApp``, with the settings of
    /// Tencent IM, unless it is one of a fleet beside its home.
    ///
    /// - Parameter counted: The apps of the server's metrics.
    package convenience init(
        of store: any Store, at now: Timestamp, counted: CountedApps = CountedApps(),
        isBesideHome: Bool = false
    ) throws(StorageError) {
        if let known = try Self.known(in: store) {
            let isSettled = ([known.registry] + known.apps).allSatisfy {
                $0.settings.history.id != 0
            }
            if !isSettled { try Identity.settleHistories(in: store) }
            let settled = isSettled ? known : try Self.known(in: store) ?? known
            self.init(
                settled.apps, settled.credentials, registry: settled.registry,
                away: settled.away, version: settled.version, lease: store.peers?.lease,
                counted: counted)
            return
        }
        var making = AppRules.Making()
        making.id = Authenticator.defaultApp
        let partitions = [App.registry.partition]
        try store.write(touching: partitions) { (transaction) throws(StorageError) in
            // Another server of the store may have been first.
            guard try AppRules.active(in: transaction) == nil else { return }
            try Identity.settle(in: transaction)
            guard !isBesideHome else {
                _ = try AppRules.renew(in: transaction)
                return
            }
            let ledger = Ledger(
                app: .registry, now: now, origin: Origin(user: nil), transaction: transaction)
            _ = try AppRules.create(making, in: ledger)
            try ledger.close()
        }
        let made = try Self.known(in: store)
        self.init(
            made?.apps ?? [], made?.credentials ?? [], registry: made?.registry ?? .registry,
            away: made?.away ?? [], version: made?.version ?? 0, lease: store.peers?.lease,
            counted: counted)
    }

    /// The content of a store that a process keeps.
    private struct Known {
        var apps: [App]
        var credentials: [AppCredentials]
        var registry: App
        var away: [UInt32]
        var version: Int64
    }

    /// The apps of `store`; nil if it never had one.
    private static func known(
        in store: any Store
    ) throws(StorageError) -> Known? {
        try store.read { (transaction) throws(StorageError) -> Known? in
            guard let apps = try AppRules.active(in: transaction) else { return nil }
            return Known(
                apps: apps, credentials: try CredentialRules.all(in: transaction),
                registry: try Identity.registry(in: transaction),
                away: try MovedApps.away(in: transaction),
                version: try AppRules.version(in: transaction))
        }
    }

    /// The app of that number, as last committed.
    package subscript(id: UInt32) -> App? {
        state.withLock { $0.apps.app(id) }
    }

    /// Whether the app lives in another database, or is on its way there or here.
    package func isAway(_ id: UInt32) -> Bool { state.withLock { $0.away.contains(id) } }

    /// Whether any app is away.
    var areAnyAway: Bool { awayCount.load(ordering: .acquiring) > 0 }

    /// The error of a call for an app that this process does not serve.
    package func missing(_ id: UInt32) -> RPCError {
        isAway(id) ? .appMoving(id) : .unknownApp(id)
    }

    /// The app of calls that act for no app, as last committed.
    package var registry: App { state.withLock { $0.registry } }

    /// The number of changes so far.
    ///
    /// A reader keeps what it found together with this number. As long as the number is the same,
    /// the finding still holds.
    package var generation: UInt64 { changes.load(ordering: .acquiring) }

    /// The keyring of the app of that number, as last committed; for 0, the keyring of the server.
    func keyring(of id: UInt32) -> AppKeyring? {
        state.withLock { $0.keyrings[id] }
    }

    /// The group in which the calls of an app are counted; 0 for calls that act for none.
    func group(of app: App) -> Int { app.id == App.registry.id ? 0 : counted.group(of: app.id) }

    /// The calls and the connections that the callers of an app hold, as far as they have
    /// credentials.
    package func held(by id: UInt32) -> (calls: Int, connections: Int) {
        guard let usage = keyring(of: id)?.usage else { return (0, 0) }
        return (usage.count(of: .calls), usage.count(of: .connections))
    }

    /// When calls last showed the credentials of an app to this server, by their ids.
    ///
    /// The times are in milliseconds, and credentials that were not used have none. Under 0 are
    /// those of operators.
    package func lastUses(of app: UInt32) -> [String: Int64] {
        var uses: [String: Int64] = [:]
        for key in keyring(of: app)?.keys ?? [] where key.use.milliseconds > 0 {
            uses[key.id.text] = key.use.milliseconds
        }
        return uses
    }

    /// The last uses of credentials that the store lacks, in the order of the apps.
    ///
    /// - Parameter all: Whether to give those too of which it has a time from shortly before.
    package func usesToStore(all: Bool = false) -> [CredentialUse] {
        let keyrings = state.withLock { $0.keyrings }
        return keyrings.sorted { $0.key < $1.key }.flatMap { app, keyring in
            keyring.keys.compactMap { key in
                key.use.due(all: all).map { CredentialUse(app, key.id, key.use, $0) }
            }
        }
    }

    /// Whether no credential exists yet, so that no caller can enter a server that asks for one.
    package var hasNoCredentials: Bool {
        state.withLock { $0.keyrings.values.allSatisfy { $0.keys.isEmpty && $0.secrets.isEmpty } }
    }

    /// The number of apps that take calls, as last committed.
    package var count: Int { state.withLock { $0.apps.count } }

    /// The apps with a higher number, as last committed.
    package func all(after id: UInt32) -> ArraySlice<App> {
        state.withLock { state in
            id == UInt32.max ? [] : state.apps[state.apps.index(of: id + 1)...]
        }
    }

    // MARK: Where other servers change the store too

    /// The newest end of users' sessions that was read of each app, with the app's history.
    package var readSessions: [UInt32: (history: UInt64, last: Int64)] {
        state.withLock { state in
            state.keyrings.mapValues { ($0.sessions.history, $0.sessions.last) }
        }
    }

    /// The version of the registry that it has.
    package var version: Int64 { state.withLock { $0.version } }

    /// Takes the apps as another server has left them.
    ///
    /// Nothing is taken if a change by this process has a later version: ``version`` then stays as
    /// it is.
    package func replace(
        _ apps: [App], _ credentials: [AppCredentials], registry: App, away: [UInt32] = [],
        version: Int64
    ) {
        let isTaken = state.withLock { state in
            guard version > state.version, version >= state.ownVersion else { return false }
            let (apps, keyrings) = Self.sorted(apps, credentials, state.keyrings)
            (state.apps, state.keyrings, state.version) = (apps, keyrings, version)
            (state.registry, state.away) = (registry, Set(away))
            awayCount.store(away.count, ordering: .releasing)
            for app in apps { ends.lower(app.id, to: .min) }
            return true
        }
        guard isTaken else { return }
        change()
        lease?.changed()
    }

    /// Whether this process may no longer rely on what it has: it may not have heard of changes.
    var isLapsed: Bool {
        guard let lease else { return false }
        return !lease.isGood
    }

    /// Whether the store lacks what this process has answered.
    var hasLostData: Bool { lease?.isOver ?? false }

    /// The time in which a call is admitted, for ``isValid(for:)``.
    ///
    /// Read it before the call is admitted.
    package var epoch: Int64 { lease?.epoch ?? 0 }

    /// Whether a call that was admitted during `epoch` may still be answered.
    package func isValid(for epoch: Int64) -> Bool {
        guard let lease else { return true }
        return lease.isValid(for: epoch)
    }

    // MARK: On the committer's thread

    /// Whether the transaction under way changes an app or a credential.
    package var hasStaged: Bool {
        state.withLock { $0.hasStaged }
    }

    /// Notes that the transaction under way answers what an earlier one has changed.
    ///
    /// The caller of the earlier one may have had no answer, so it was not yet waited until every
    /// server knows of its change.
    package func noteEarlierChange() {
        state.withLock { $0.answersEarlierChange = true }
    }

    /// Whether ``noteEarlierChange()`` was called in the transaction under way.
    package func takeEarlierChange() -> Bool {
        state.withLock { state in
            defer { state.answersEarlierChange = false }
            return state.answersEarlierChange
        }
    }

    /// The app of that number, as the transaction under way sees it.
    package func inTransaction(_ id: UInt32) -> App? {
        guard id != App.registry.id else { return .registry }
        return state.withLock { state in
            for change in state.staged.reversed() where change.id == id { return change.app }
            return state.apps.app(id)
        }
    }

    package func stage(_ change: AppChange) {
        state.withLock { $0.staged.append(change) }
    }

    package func stage(_ change: CredentialChange) {
        state.withLock { $0.stagedCredentials.append(change) }
    }

    package func stage(_ change: SessionChange) {
        state.withLock { $0.stagedSessions.append(change) }
    }

    /// Publishes the staged changes: the transaction is committed.
    ///
    /// - Parameter version: The version of the registry that has them; nil if none is counted.
    package func publish(version: Int64? = nil) {
        let isChanged = state.withLock { state in
            guard state.hasStaged else { return false }
            apply(state.takeStaged(), version, to: &state)
            return true
        }
        if isChanged { change() }
    }

    /// The changes of a transaction of which several may be under way.
    package struct Staged: Sendable {
        fileprivate let apps: [AppChange]
        fileprivate let credentials: [CredentialChange]
        fileprivate let sessions: [SessionChange]
    }

    /// Takes the staged changes out, for ``publish(_:version:)``.
    package func takeStaged() -> Staged {
        state.withLock { $0.takeStaged() }
    }

    /// Publishes changes whose transaction is committed.
    package func publish(_ staged: Staged, version: Int64?) {
        state.withLock { apply(staged, version, to: &$0) }
        change()
    }

    /// Applies what a transaction has changed, unless the registry was read from the store since.
    ///
    /// A server that waits for the end of its commit may read a later version meanwhile. That has
    /// the change and all that others did after it, such as a revocation, which the older rows of
    /// this change must not take back.
    private func apply(_ staged: Staged, _ version: Int64?, to state: inout State) {
        if let version, version <= state.version {
            for change in staged.sessions { state.keyrings[change.app]?.sessions.add(change) }
            state.ownVersion = max(state.ownVersion, version)
            return
        }
        // A new lifetime of applications may end some of them earlier, or at once.
        for change in staged.apps { ends.lower(change.id, to: .min) }
        for change in staged.apps {
            state.apps.apply(change)
            state.keyrings.apply(change)
        }
        for change in staged.credentials { state.keyrings.apply(change) }
        for change in staged.sessions { state.keyrings[change.app]?.sessions.add(change) }
        guard let version else { return }
        state.ownVersion = max(state.ownVersion, version)
        // A version in between is of another server, and is still to be read.
        if version == state.version + 1 { state.version = version }
    }

    /// Makes every finding void, since something beside the apps has changed.
    func renew() { change() }

    private func change() {
        changes.add(1, ordering: .releasing)
        // Before the change is answered, here or by the lease that confirms it.
        for follower in followers.withLock({ $0 }) { follower.apps?.renew() }
    }

    /// Makes the findings of `other` void with each change of these apps: operators' keys stand
    /// here.
    func leads(_ other: Apps) {
        followers.withLock { followers in
            followers.removeAll { $0.apps == nil }
            followers.append(Follower(apps: other))
        }
    }

    /// Drops the staged changes: the transaction failed, or begins again.
    package func discard() {
        state.withLock { state in
            _ = state.takeStaged()
            state.answersEarlierChange = false
        }
    }
}

extension [App] {
    /// The index of the first app with this number or a higher one.
    fileprivate func index(of id: UInt32) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if self[middle].id < id { low = middle + 1 } else { high = middle }
        }
        return low
    }

    fileprivate func app(_ id: UInt32) -> App? {
        let index = index(of: id)
        return index < count && self[index].id == id ? self[index] : nil
    }

    fileprivate mutating func apply(_ change: AppChange) {
        let index = index(of: change.id)
        if index < count && self[index].id == change.id { remove(at: index) }
        if let app = change.app { insert(app, at: index) }
    }
}

extension [UInt32: AppKeyring] {
    fileprivate mutating func apply(_ change: AppChange) {
        guard let app = change.app else { return self[change.id] = nil }
        self[change.id, default: AppKeyring()].secrets = change.secrets
        self[change.id]?.apply(app.settings.bounds)
    }

    /// A credential of an app that has been deleted is refused.
    fileprivate mutating func apply(_ change: CredentialChange) {
        self[change.app]?.apply(change)
    }
}
