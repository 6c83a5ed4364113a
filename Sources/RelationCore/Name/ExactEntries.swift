/// Values that belong to one user each, kept in this process and bounded in size, by the rules of
/// ``CommitClock``.
///
/// An entry that a commit touches is forgotten before the commit can be seen. The holder has it
/// under a lock.
struct ExactEntries<Value> {
    private let order: CommitClock
    private var entries: SegmentedCache<AppUser, (value: Value, since: UInt64)>
    private var touches: InvalidationLog

    /// - Parameter bytes: The most that all entries may cost.
    init(bytes: Int, rememberedTouches: Int, order: CommitClock) {
        self.order = order
        entries = SegmentedCache(capacity: bytes)
        touches = InvalidationLog(capacity: rememberedTouches)
    }

    var cost: Int { entries.cost }

    var reading: CacheReading { entries.reading }

    /// Whether no entry ever had to go for another one.
    var hasRoom: Bool { entries.evictions == 0 }

    /// Forgets the entries of `touched`, as the commit of that number begins.
    mutating func begin(_ number: UInt64, _ touched: Set<AppUser>) {
        for user in touched {
            touches.touch(user, in: number)
            entries.remove(user)
        }
    }

    /// The value of `user` in the view of a reader that took `readVersion` before; nil if it is not
    /// known.
    mutating func value(of user: AppUser, at readVersion: ReadVersion) -> Value? {
        guard let known = entries.value(of: user), order.isExact(known.since, at: readVersion)
        else {
            return nil
        }
        return known.value
    }

    /// Keeps what a reader found, who took `readVersion` before its view, unless a commit has
    /// touched the user since.
    mutating func keep(_ value: Value, of user: AppUser, at readVersion: ReadVersion, cost: Int) {
        guard !touches.mayHaveTouched(user, after: readVersion.commit) else { return }
        entries.set(user, to: (value, since: readVersion.commit), cost: cost)
    }
}
