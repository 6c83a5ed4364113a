import RelationCore
import RelationModel

/// The users of one app whose presence a board knows.
struct PresentApp {
    var users: [AppUser: PresentUser] = [:]
    /// The users with devices that are online, by the second in which their first lease ends.
    private var leases: [Int64: Set<AppUser>] = [:]
    /// The users that went offline, in that order; users that came back are passed over.
    private var offline = OfflineQueue()

    /// The users whose first lease is over at `nowMs`.
    func appUsersDue(at nowMs: Int64) -> [AppUser] {
        leases.keys.filter { $0 <= nowMs / 1_000 }.sorted().flatMap { leases[$0] ?? [] }
    }

    /// Changes the entry of a user, after its expired leases have ended.
    ///
    /// - Returns: Whether the presence of the user changed.
    mutating func update(
        _ appUser: AppUser, _ nowMs: Int64, _ body: (inout PresentUser) -> Void
    ) -> Bool {
        guard let before = users[appUser] else { return false }
        var user = before
        user.endLeases(at: nowMs)
        body(&user)
        if let end = before.firstEndMs { drop(appUser, endingAt: end) }
        if let end = user.firstEndMs {
            leases[Self.second(of: end), default: []].insert(appUser)
            user.offlineNumber = nil
        } else if user.offlineNumber == nil {
            user.offlineNumber = offline.add(appUser)
        }
        users[appUser] = user
        compactOffline()
        return before.devices.map(\.shown) != user.devices.map(\.shown)
    }

    /// The user that is to be forgotten next, and whether it is online.
    mutating func next() -> (appUser: AppUser, isOnline: Bool)? {
        while let entry = offline.removeFirst() {
            guard users[entry.appUser]?.offlineNumber == entry.number else { continue }
            return (entry.appUser, false)
        }
        guard let second = leases.keys.min(), let appUser = leases[second]?.first else {
            return nil
        }
        return (appUser, true)
    }

    /// - Returns: Whether the user was known.
    mutating func remove(_ appUser: AppUser) -> Bool {
        guard let user = users.removeValue(forKey: appUser) else { return false }
        if let end = user.firstEndMs { drop(appUser, endingAt: end) }
        return true
    }

    private mutating func drop(_ appUser: AppUser, endingAt timeMs: Int64) {
        let second = Self.second(of: timeMs)
        leases[second]?.remove(appUser)
        if leases[second]?.isEmpty == true { leases[second] = nil }
    }

    /// Removes the users that came back from the queue, once they are the larger part of it.
    private mutating func compactOffline() {
        guard offline.count > 2 * users.count + 64 else { return }
        let users = users
        offline.retain { users[$0.appUser]?.offlineNumber == $0.number }
    }

    /// The first second at which a lease that ends now is over.
    private static func second(of milliseconds: Int64) -> Int64 { (milliseconds + 999) / 1_000 }

    /// Checks that the parts fit together; called by tests.
    func checkInvariants() {
        var leased = 0
        for (second, appUsers) in leases {
            precondition(!appUsers.isEmpty)
            leased += appUsers.count
            for appUser in appUsers {
                let end = users[appUser]?.firstEndMs
                precondition(end.map { (second - 1) * 1_000 < $0 } ?? false)
            }
        }
        precondition(leased == users.values.count { $0.firstEndMs != nil })
        precondition(offline.count <= 2 * users.count + 64)
        for user in users.values {
            precondition((user.firstEndMs == nil) == (user.offlineNumber != nil))
            precondition(user.devices.count <= Limits.devicesPerUser)
        }
    }
}
