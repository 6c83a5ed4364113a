package import RelationAPI
import RelationCore
package import RelationModel
import RelationRuntime
import Synchronization

/// The presence of users, as callers reported it to this process or to another one of the same
/// store; nothing of it is durable.
///
/// A device is online until its lease ends, and stays known as offline from then on. The number of
/// users is bounded. When it is reached, a new user drives out a user of the app that has the most.
/// So no app loses a user to an app that has more. The user that leaves is the one that has been
/// offline longest. If all are online, it is the one whose first lease ends next.
package final class PresenceBoard: MaintenanceObserver, Sendable {
    /// A report about one device.
    package struct Report: Hashable, Sendable {
        package var user: UserID
        package var deviceID: String
        package var platform: String
        package var online: Bool
        package var leaseMs: Int64
        /// When the account was made: presence of an earlier account under the same id does not
        /// belong to it.
        package var createdMs: Int64 = 0
        /// When the device changed, as the reporter says; nil for the time of the arrival.
        package var timeMs: Int64?

        package init(
            user: UserID,
            deviceID: String,
            platform: String,
            online: Bool,
            leaseMs: Int64,
            createdMs: Int64 = 0,
            timeMs: Int64? = nil
        ) {
            self.user = user
            self.deviceID = deviceID
            self.platform = platform
            self.online = online
            self.leaseMs = leaseMs
            self.createdMs = createdMs
            self.timeMs = timeMs
        }
    }

    /// A user whose presence changed, with the new presence.
    package struct Change: Equatable, Sendable {
        package let app: UInt32
        package let user: UserID
        package let presence: Presence
        /// Whether the user was online, and all that was known of it is lost.
        package var isLost = false
    }

    fileprivate struct State {
        /// The apps that have any user here.
        var apps: [UInt32: PresentApp] = [:]
        /// The number of users here.
        var count = 0
        /// The users whose presence changed since the changes were last taken, in that order.
        var changed: [AppUser] = []
        var isChanged: Set<AppUser> = []
        /// The users among ``changed`` that were online when all presence was lost.
        var isLost: Set<AppUser> = []
        var follower: (@Sendable () -> Void)?
        /// Learns of the devices that go online or offline; nil if no one asks.
        var observer: PresenceObserver?
        /// The steps of which it is notified next.
        var steps: [PresenceStep] = []
        /// Notifies other servers of reports; nil if no other server has the store.
        var sharer: (@Sendable (SharedReports) -> Void)?
    }

    private let limit: Int
    private let state = Mutex(State())

    /// - Parameter limit: The most users that the board knows at once.
    package init(limit: Int = PresenceLimits.presentUsers) {
        self.limit = limit
    }

    // MARK: Reports

    /// Takes reports that arrived at `now`, in their order.
    ///
    /// Where other servers have the store too, they go through ``share(_:)`` instead.
    package func report(_ reports: [Report], app: UInt32, at now: Timestamp) {
        change { state in
            for report in reports { merge(report, app, now.milliseconds, &state) }
        }
    }

    /// Whether a report changes nothing, because one of a later time was taken before.
    package func isOutdated(_ report: Report, app: UInt32) -> Bool {
        guard report.timeMs != nil else { return false }
        let known = state.withLock { $0.user(AppUser(app: app, user: report.user)) }
        guard let known, known.sinceMs >= report.createdMs else { return false }
        return known.isOutdated(report)
    }

    // MARK: Where other servers take reports too

    /// Passes all reports to `sharer` from now on, outside all locks.
    package func share(with sharer: @escaping @Sendable (SharedReports) -> Void) {
        state.withLock { $0.sharer = sharer }
    }

    /// Whether other servers take reports too.
    package var isShared: Bool { state.withLock { $0.sharer != nil } }

    /// Has all servers of the store take reports.
    ///
    /// - Returns: Whether it does: if not, no other server has the store, and nothing happens.
    package func share(_ reports: SharedReports) -> Bool {
        guard let sharer = state.withLock({ $0.sharer }) else { return false }
        sharer(reports)
        return true
    }

    /// The devices of reports as this board would know them after all of them, and changes nothing.
    func rows(of all: [SharedReports]) -> [PresenceRow] {
        state.withLock { state in
            var users: [AppUser: PresentUser] = [:]
            return all.flatMap { shared in
                shared.reports.compactMap { report in
                    let appUser = AppUser(app: shared.app, user: report.user)
                    let nowMs = shared.now.milliseconds
                    var user = users[appUser] ?? state.user(appUser)
                    if let known = user, known.sinceMs < report.createdMs { user = nil }
                    var taken = user ?? PresentUser(sinceMs: max(nowMs, report.createdMs))
                    let row = taken.row(of: report, shared.app, at: nowMs)
                    users[appUser] = taken
                    return row
                }
            }
        }
    }

    /// Takes devices as the servers of the store know them, in the order in which they were
    /// reported.
    package func merge(_ rows: [PresenceRow], at now: Timestamp) {
        change { state in
            for row in rows {
                guard let user = UserID(row.userID) else { continue }
                let appUser = AppUser(app: row.app, user: user)
                prepare(appUser, row.createdMs, sinceMs: row.sinceMs, &state)
                state.update(appUser, now.milliseconds) { $0.merge(row, at: now.milliseconds) }
            }
        }
    }

    /// Ends the presence of users whose accounts are gone: each device that is online goes offline
    /// at `now`, and then the users are forgotten.
    ///
    /// Where other servers have the store too, ``endings(of:app:at:)`` are shared instead.
    package func end(_ users: [UserID], app: UInt32, at now: Timestamp) {
        change { state in
            for user in users {
                let appUser = AppUser(app: app, user: user)
                let reports = state.endings(of: appUser, now.milliseconds)
                state.update(appUser, now.milliseconds) { user in
                    for report in reports { _ = user.merge(report, at: now.milliseconds) }
                }
                state.remove(appUser)
            }
        }
    }

    /// The reports that take the devices of users offline: one for each that is online at `now`.
    package func endings(of users: [UserID], app: UInt32, at now: Timestamp) -> [Report] {
        state.withLock { state in
            users.flatMap { state.endings(of: AppUser(app: app, user: $0), now.milliseconds) }
        }
    }

    /// Forgets all users: the store has lost the reports of the servers.
    package func forgetAll() {
        change { state in
            for (id, app) in state.apps {
                for appUser in app.users.keys where app.users[appUser]?.firstEndMs != nil {
                    state.noteForgotten(appUser)
                    state.isLost.insert(appUser)
                    state.note(appUser)
                }
                state.apps[id] = nil
            }
            state.count = 0
        }
    }

    /// Ends the leases that are over at `now`.
    ///
    /// - Returns: Whether the presence of any user changed.
    @discardableResult
    package func expire(at now: Timestamp) -> Bool {
        change { state in
            for appUser in state.apps.values.flatMap({ $0.appUsersDue(at: now.milliseconds) }) {
                state.update(appUser, now.milliseconds) { _ in }
            }
        }
    }

    /// Forgets all users of an app that has been deleted.
    package func forget(app: UInt32) {
        state.withLock { state in
            state.count -= state.apps.removeValue(forKey: app)?.users.count ?? 0
        }
    }

    // MARK: Questions

    /// The presence of a user at `now`.
    ///
    /// - Parameter createdMs: When the account was made.
    package func presence(
        of user: UserID, app: UInt32, createdMs: Int64, at now: Timestamp
    ) -> Presence {
        let known = state.withLock { $0.user(AppUser(app: app, user: user)) }
        guard let known, known.sinceMs >= createdMs else { return Presence(of: user, []) }
        return Presence(of: user, known.devices.map { $0.ended(at: now.milliseconds) })
    }

    /// The number of users that the board knows.
    package var count: Int { state.withLock { $0.count } }

    // MARK: Changes

    /// Calls `wake` after every change from now on, outside all locks.
    ///
    /// The receiver then calls ``takeChanges(at:)``.
    package func follow(_ wake: @escaping @Sendable () -> Void) {
        state.withLock { $0.follower = wake }
    }

    /// Returns the users that changed since the last call, in order, once each, with their presence
    /// at `now`.
    ///
    /// So the number of users bounds the changes that wait for a follower, however slow it is.
    package func takeChanges(at now: Timestamp) -> [Change] {
        state.withLock { state in
            let changes = state.changed.map { appUser in
                let devices = state.user(appUser)?.devices ?? []
                return Change(
                    app: appUser.app, user: appUser.user,
                    presence: Presence(
                        of: appUser.user, devices.map { $0.ended(at: now.milliseconds) }),
                    isLost: state.isLost.contains(appUser))
            }
            (state.changed, state.isChanged, state.isLost) = ([], [], [])
            return changes
        }
    }

    /// Tells `observer` of the devices that go online or offline from now on.
    package func observe(_ observer: PresenceObserver) {
        state.withLock { $0.observer = observer }
    }

    @discardableResult
    private func change(_ body: (inout State) -> Void) -> Bool {
        var steps: [PresenceStep] = []
        let (wakes, wake, observer) = state.withLock { state in
            let before = state.changed.count
            body(&state)
            let wakes = state.changed.count > before
            // Without a follower no one takes the changes.
            if state.follower == nil {
                (state.changed, state.isChanged, state.isLost) = ([], [], [])
            }
            swap(&steps, &state.steps)
            return (wakes, state.follower, state.observer)
        }
        if wakes { wake?() }
        if !steps.isEmpty { observer?.notify(steps) }
        return wakes
    }

    /// Checks that the parts fit together; called by tests.
    func checkInvariants() {
        state.withLock { state in
            precondition(state.count <= limit)
            precondition(state.count == state.apps.values.reduce(0) { $0 + $1.users.count })
            for app in state.apps.values { app.checkInvariants() }
        }
    }

    // MARK: Under the lock

    private func merge(_ report: Report, _ app: UInt32, _ nowMs: Int64, _ state: inout State) {
        let appUser = AppUser(app: app, user: report.user)
        prepare(appUser, report.createdMs, sinceMs: nowMs, &state)
        state.update(appUser, nowMs) { _ = $0.merge(report, at: nowMs) }
    }

    /// Makes an entry for a user that has none, or that has one of an earlier account.
    ///
    /// A clock that was set back may stand before the time at which the account was made. The entry
    /// belongs to that account all the same.
    private func prepare(
        _ appUser: AppUser, _ createdMs: Int64, sinceMs: Int64, _ state: inout State
    ) {
        if let known = state.user(appUser), known.sinceMs < createdMs {
            state.remove(appUser)
            state.note(appUser)
        }
        guard state.user(appUser) == nil else { return }
        if state.count >= limit { state.makeRoom() }
        state.add(appUser, max(sinceMs, createdMs))
    }
}

extension PresenceBoard.State {
    fileprivate func user(_ appUser: AppUser) -> PresentUser? { apps[appUser.app]?.users[appUser] }

    fileprivate mutating func add(_ appUser: AppUser, _ nowMs: Int64) {
        apps[appUser.app, default: PresentApp()].users[appUser] = PresentUser(sinceMs: nowMs)
        count += 1
    }

    /// Changes the entry of a user, and notes the user if its presence changed.
    fileprivate mutating func update(
        _ appUser: AppUser, _ nowMs: Int64, _ body: (inout PresentUser) -> Void
    ) {
        let before = isObserved(appUser.app) ? user(appUser)?.devices : nil
        if apps[appUser.app]?.update(appUser, nowMs, body) == true { note(appUser) }
        guard let before, let after = user(appUser)?.devices else { return }
        steps += PresenceStep.steps(of: appUser, from: before, to: after, at: nowMs)
    }

    /// The reports that take a user's devices offline that are online now.
    fileprivate func endings(of appUser: AppUser, _ nowMs: Int64) -> [PresenceBoard.Report] {
        (user(appUser)?.devices ?? []).filter { $0.ended(at: nowMs).isOnline }.map { device in
            PresenceBoard.Report(
                user: appUser.user, deviceID: device.id, platform: device.platform,
                online: false, leaseMs: 0)
        }
    }

    private func isObserved(_ app: UInt32) -> Bool { observer?.wants(app) ?? false }

    /// Notes that the online devices of a user are about to be forgotten.
    fileprivate mutating func noteForgotten(_ appUser: AppUser) {
        guard isObserved(appUser.app), let user = user(appUser) else { return }
        steps += PresenceStep.steps(forgetting: appUser, user.devices)
    }

    /// Forgets one user of the app that has the most, to make room for another.
    fileprivate mutating func makeRoom() {
        let largest = apps.max { $0.value.users.count < $1.value.users.count }
        guard let (appUser, wasOnline) = largest.flatMap({ apps[$0.key]?.next() }) else { return }
        remove(appUser)
        if wasOnline { note(appUser) }
    }

    fileprivate mutating func remove(_ appUser: AppUser) {
        noteForgotten(appUser)
        guard apps[appUser.app]?.remove(appUser) == true else { return }
        count -= 1
        if apps[appUser.app]?.users.isEmpty == true { apps[appUser.app] = nil }
    }

    fileprivate mutating func note(_ appUser: AppUser) {
        if isChanged.insert(appUser).inserted { changed.append(appUser) }
    }
}
