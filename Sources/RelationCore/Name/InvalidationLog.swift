/// The users that the latest commits changed.
struct InvalidationLog {
    private let capacity: Int
    /// A ring: once it is full, the oldest entry is at `first`.
    private var touches: [(commit: UInt64, user: AppUser)] = []
    private var first = 0
    private var latest: [AppUser: UInt64] = [:]
    /// Changes by commits up to this one may have been forgotten.
    private var forgotten: UInt64 = 0

    init(capacity: Int) {
        self.capacity = capacity
    }

    mutating func touch(_ user: AppUser, in commit: UInt64) {
        latest[user] = commit
        guard touches.count == capacity else { return touches.append((commit, user)) }
        let oldest = touches[first]
        forgotten = oldest.commit
        if latest[oldest.user] == oldest.commit { latest[oldest.user] = nil }
        touches[first] = (commit, user)
        first = (first + 1) % capacity
    }

    /// Whether `user` may have been changed after `commit`; also true if that is no longer
    /// remembered.
    func mayHaveTouched(_ user: AppUser, after commit: UInt64) -> Bool {
        if commit < forgotten { return true }
        guard let latest = latest[user] else { return false }
        return latest > commit
    }

    /// The users that were changed after `commit`, the latest first.
    ///
    /// Nil if they are more than `limit`, or if that is no longer remembered.
    func users(after commit: UInt64, limit: Int) -> [AppUser]? {
        guard commit >= forgotten else { return nil }
        var users: [AppUser] = []
        for step in 1...max(1, touches.count) where !touches.isEmpty {
            let index = (first + touches.count - step) % touches.count
            guard touches[index].commit > commit else { break }
            users.append(touches[index].user)
            if users.count > limit { return nil }
        }
        return users
    }
}
