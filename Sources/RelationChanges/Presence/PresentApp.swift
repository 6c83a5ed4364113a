import RelationModel

/// What a board knows of the users of one app.
struct PresentApp {
    typealias AppUser = PresenceBoard.AppUser

    var users: [AppUser: PresentUser] = [:]
    /// The users with devices that are online, by the second in which the first lease ends.
    private var leases: [Int64: Set<AppUser>] = [:]
    /// Who went offline, in that order; one who came back since is passed over.
    private var offline = OfflineQueue()

    /// The users whose first lease is over in that second.
    func appUsersDue(at nowMs: Int64) -> [AppUser] {
        leases.keys.filter { $0 <= nowMs / 1_000 }.sorted().flatMap { leases[$0] ?? [] }
    }

    /// Changes what is known of a user, once its leases that are over have ended.
    ///
    /// - Returns: Whether its presence is another one now.
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

    /// Who is to be forgotten next, and whether it is online.
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

    /// Takes out of the queue who is not offline any more, once most are such.
    private mutating func compactOffline() {
        guard offline.count > 2 * users.count + 64 else { return }
        let users = users
        offline.keep { users[$0.appUser]?.offlineNumber == $0.number }
    }

    /// The first second in which a lease that ends then is over.
    private static func second(of milliseconds: Int64) -> Int64 { (milliseconds + 999) / 1_000 }

    /// Whether its parts fit together; called by tests.
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
