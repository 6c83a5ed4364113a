/// The users that the latest commits touched, in the order of the commits.
struct InvalidationLog {
    private let capacity: Int
    /// A ring: once it is full, the oldest entry is at `first`.
    private var touches: [(version: UInt64, user: AppUser)] = []
    private var first = 0
    /// Touches by commits up to this one may have been overwritten.
    private var overwritten: UInt64 = 0

    init(capacity: Int) {
        self.capacity = capacity
    }

    mutating func append(_ user: AppUser, in version: UInt64) {
        guard touches.count == capacity else { return touches.append((version, user)) }
        overwritten = touches[first].version
        touches[first] = (version, user)
        first = (first + 1) % capacity
    }

    /// The users that were touched after `version`, the latest first.
    ///
    /// Nil if they are more than `limit`, or if some were overwritten.
    func users(after version: UInt64, limit: Int) -> [AppUser]? {
        guard version >= overwritten else { return nil }
        var users: [AppUser] = []
        for step in 1...max(1, touches.count) where !touches.isEmpty {
            let index = (first + touches.count - step) % touches.count
            guard touches[index].version > version else { break }
            users.append(touches[index].user)
            if users.count > limit { return nil }
        }
        return users
    }
}
