package import RelationAPI
package import RelationModel
import Synchronization

/// Who is online, as this process was told: nothing of it is stored.
///
/// A device is online until its lease ends, and stays known as offline from then on. Users are
/// bounded: for one more the one goes who is offline longest or, if nobody is, whose first lease
/// ends next.
package final class PresenceBoard: Sendable {
    /// One user of one app.
    package struct Place: Hashable, Sendable {
        package let app: UInt32
        package let user: UserID

        package init(app: UInt32, user: UserID) {
            self.app = app
            self.user = user
        }
    }

    /// What is reported of one device.
    package struct Report: Hashable, Sendable {
        package var user: UserID
        package var deviceID: String
        package var platform: String
        package var online: Bool
        package var leaseMs: Int64
        /// When the account was made: what is known of one before it under the same id is not its.
        package var createdMs: Int64 = 0
    }

    /// A user whose presence changed, and its presence as it now is.
    package struct Change: Equatable, Sendable {
        package let app: UInt32
        package let user: UserID
        package let presence: Presence
    }

    fileprivate struct State {
        var users: [Place: PresentUser] = [:]
        /// The users with devices that are online, by the second in which the first lease ends.
        var leases: [Int64: Set<Place>] = [:]
        /// Who went offline, in that order; one who came back since is passed over.
        var offline = OfflineQueue()
        /// Whose presence changed since somebody took the changes, in that order.
        var changed: [Place] = []
        var isChanged: Set<Place> = []
        var follower: (@Sendable () -> Void)?
    }

    private let limit: Int
    private let state = Mutex(State())

    /// - Parameter limit: How many users it knows at once.
    package init(limit: Int = ServiceLimits.presentUsers) {
        self.limit = limit
    }

    // MARK: Reports

    /// Takes reports that came in at `now`, in their order.
    package func report(_ reports: [Report], app: UInt32, at now: Timestamp) {
        change { state in
            for report in reports { take(report, app, now.milliseconds, &state) }
        }
    }

    /// Ends the leases that are over at `now`.
    ///
    /// - Returns: Whether anybody went offline.
    @discardableResult
    package func expire(at now: Timestamp) -> Bool {
        change { state in
            for place in state.placesDue(at: now.milliseconds) {
                state.update(place, now.milliseconds) { _ in }
            }
        }
    }

    /// Forgets everybody of an app that is gone.
    package func forget(app: UInt32) {
        state.withLock { state in
            for place in state.users.keys where place.app == app { state.remove(place) }
        }
    }

    // MARK: Questions

    /// The presence of a user at `now`.
    ///
    /// - Parameter createdMs: When the account was made.
    package func presence(
        of user: UserID, app: UInt32, createdMs: Int64, at now: Timestamp
    ) -> Presence {
        let known = state.withLock { $0.users[Place(app: app, user: user)] }
        guard let known, known.sinceMs >= createdMs else { return Presence(of: user, []) }
        return Presence(of: user, known.devices.map { $0.ended(at: now.milliseconds) })
    }

    /// How many users are known.
    package var count: Int { state.withLock { $0.users.count } }

    // MARK: Changes

    /// From now on `wake` is called after every change, outside of every lock: somebody then calls
    /// ``takeChanges()``.
    package func follow(_ wake: @escaping @Sendable () -> Void) {
        state.withLock { $0.follower = wake }
    }

    /// Who changed since the last time, in order, each once and as it now is: however slow a
    /// follower is, what waits for it is bounded by the number of users.
    package func takeChanges(at now: Timestamp) -> [Change] {
        state.withLock { state in
            let changes = state.changed.map { place in
                let devices = state.users[place]?.devices ?? []
                return Change(
                    app: place.app, user: place.user,
                    presence: Presence(
                        of: place.user, devices.map { $0.ended(at: now.milliseconds) }))
            }
            state.changed = []
            state.isChanged = []
            return changes
        }
    }

    @discardableResult
    private func change(_ body: (inout State) -> Void) -> Bool {
        let (wakes, wake) = state.withLock { state in
            let before = state.changed.count
            body(&state)
            let wakes = state.changed.count > before
            // Nobody will ask for what nobody follows.
            if state.follower == nil { (state.changed, state.isChanged) = ([], []) }
            return (wakes, state.follower)
        }
        if wakes { wake?() }
        return wakes
    }

    /// Whether its parts fit together; called by tests.
    func checkInvariants() {
        state.withLock { state in
            precondition(state.users.count <= limit)
            var leased = 0
            for (second, places) in state.leases {
                precondition(!places.isEmpty)
                leased += places.count
                for place in places {
                    let end = state.users[place]?.firstEndMs
                    precondition(end.map { (second - 1) * 1_000 < $0 } ?? false)
                }
            }
            precondition(leased == state.users.values.count { $0.firstEndMs != nil })
            precondition(state.offline.count <= 2 * state.users.count + 64)
            for user in state.users.values {
                precondition((user.firstEndMs == nil) == (user.offlineNumber != nil))
                precondition(user.devices.count <= Limits.devicesPerUser)
            }
        }
    }

    // MARK: Under the lock

    private func take(_ report: Report, _ app: UInt32, _ nowMs: Int64, _ state: inout State) {
        let place = Place(app: app, user: report.user)
        if let known = state.users[place], known.sinceMs < report.createdMs {
            state.remove(place)
            state.note(place)
        }
        if state.users[place] == nil {
            if state.users.count >= limit { state.makeRoom() }
            state.users[place] = PresentUser(sinceMs: nowMs)
        }
        state.update(place, nowMs) { $0.take(report, at: nowMs) }
    }
}

extension PresenceBoard.State {
    typealias Place = PresenceBoard.Place

    /// The users whose first lease is over in that second.
    fileprivate func placesDue(at nowMs: Int64) -> [Place] {
        leases.keys.filter { $0 <= nowMs / 1_000 }.sorted().flatMap { leases[$0] ?? [] }
    }

    /// Changes what is known of a user, once its leases that are over have ended, and notes it if
    /// its presence is another one now.
    fileprivate mutating func update(
        _ place: Place, _ nowMs: Int64, _ body: (inout PresentUser) -> Void
    ) {
        guard let before = users[place] else { return }
        var user = before
        user.endLeases(at: nowMs)
        body(&user)
        if let end = before.firstEndMs { drop(place, endingAt: end) }
        if let end = user.firstEndMs {
            leases[Self.second(of: end), default: []].insert(place)
            user.offlineNumber = nil
        } else if user.offlineNumber == nil {
            user.offlineNumber = offline.add(place)
        }
        users[place] = user
        compactOffline()
        if before.devices.map(\.shown) != user.devices.map(\.shown) { note(place) }
    }

    /// Forgets one user, so that another has room.
    fileprivate mutating func makeRoom() {
        while let entry = offline.removeFirst() {
            guard users[entry.place]?.offlineNumber == entry.number else { continue }
            return remove(entry.place)
        }
        guard let second = leases.keys.min(), let place = leases[second]?.first else { return }
        remove(place)
        note(place)
    }

    fileprivate mutating func remove(_ place: Place) {
        guard let user = users.removeValue(forKey: place) else { return }
        if let end = user.firstEndMs { drop(place, endingAt: end) }
    }

    fileprivate mutating func note(_ place: Place) {
        if isChanged.insert(place).inserted { changed.append(place) }
    }

    private mutating func drop(_ place: Place, endingAt timeMs: Int64) {
        let second = Self.second(of: timeMs)
        leases[second]?.remove(place)
        if leases[second]?.isEmpty == true { leases[second] = nil }
    }

    /// Takes out of the queue who is not offline any more, once most are such.
    private mutating func compactOffline() {
        guard offline.count > 2 * users.count + 64 else { return }
        let users = users
        offline.keep { users[$0.place]?.offlineNumber == $0.number }
    }

    /// The first second in which a lease that ends then is over.
    private static func second(of milliseconds: Int64) -> Int64 { (milliseconds + 999) / 1_000 }
}
