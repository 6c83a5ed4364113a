import RelationModel

/// What a board knows of the users of one app.
struct PresentApp {
    typealias Place = PresenceBoard.Place

    var users: [Place: PresentUser] = [:]
    /// The users with devices that are online, by the second in which the first lease ends.
    private var leases: [Int64: Set<Place>] = [:]
    /// Who went offline, in that order; one who came back since is passed over.
    private var offline = OfflineQueue()

    /// The users whose first lease is over in that second.
    func placesDue(at nowMs: Int64) -> [Place] {
        leases.keys.filter { $0 <= nowMs / 1_000 }.sorted().flatMap { leases[$0] ?? [] }
    }

    /// Changes what is known of a user, once its leases that are over have ended.
    ///
    /// - Returns: Whether its presence is another one now.
    mutating func update(
        _ place: Place, _ nowMs: Int64, _ body: (inout PresentUser) -> Void
    ) -> Bool {
        guard let before = users[place] else { return false }
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
        return before.devices.map(\.shown) != user.devices.map(\.shown)
    }

    /// Who is to be forgotten next, and whether it is online.
    mutating func next() -> (place: Place, isOnline: Bool)? {
        while let entry = offline.removeFirst() {
            guard users[entry.place]?.offlineNumber == entry.number else { continue }
            return (entry.place, false)
        }
        guard let second = leases.keys.min(), let place = leases[second]?.first else { return nil }
        return (place, true)
    }

    /// - Returns: Whether the user was known.
    mutating func remove(_ place: Place) -> Bool {
        guard let user = users.removeValue(forKey: place) else { return false }
        if let end = user.firstEndMs { drop(place, endingAt: end) }
        return true
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

    /// Whether its parts fit together; called by tests.
    func checkInvariants() {
        var leased = 0
        for (second, places) in leases {
            precondition(!places.isEmpty)
            leased += places.count
            for place in places {
                let end = users[place]?.firstEndMs
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
