import RelationModel
import Storage
import Synchronization

/// A value that a ``VersionedCache`` can hold.
protocol CachedValue: Sendable {
    /// The memory that it takes in bytes, with that of its entry.
    var cost: Int { get }
}

/// Values that belong to one user each, in bounded memory: an entry is a value and its version.
///
/// Its rules are those of ``CommitClock``. Any thread may call it; it has one lock.
final class VersionedCache<Value: CachedValue>: Sendable {
    let clock: CommitClock
    /// Whether anything is inserted: nothing is where no entry could be served.
    let isOn: Bool
    private let state: Mutex<State>

    private struct Entry {
        let value: Value
        let version: UInt64
    }

    private struct State {
        var entries: SegmentedCache<AppUser, Entry>
        var invalidated: InvalidationVersions
        /// Values that the commit under way wrote, and the version of that commit.
        var staged: (values: [(AppUser, Value)], version: UInt64) = ([], 0)
        /// Look-ups that found a valid entry, and those that did not.
        var found: UInt64 = 0
        var notFound: UInt64 = 0

        mutating func value(of user: AppUser, _ check: CommitClock.Check) -> Value? {
            guard let entry = entries.value(of: user), check.isValid(entry.version) else {
                notFound &+= 1
                return nil
            }
            found &+= 1
            return entry.value
        }

        mutating func insert(_ value: Value, of user: AppUser, at readVersion: ReadVersion) {
            guard !invalidated.mayHave(user.slot, after: readVersion) else { return }
            let entry = Entry(value: value, version: readVersion.commit)
            entries.insert(entry, for: user, cost: value.cost)
        }
    }

    /// - Parameters:
    ///   - bytes: The most that all entries may cost; 0 keeps none.
    ///   - invalidationSlots: A power of two.
    init(bytes: Int, invalidationSlots: Int, clock: CommitClock) {
        self.clock = clock
        isOn = bytes > 0 && clock.isOnlyWriter
        state = Mutex(
            State(
                entries: SegmentedCache(capacity: bytes),
                invalidated: InvalidationVersions(slots: isOn ? invalidationSlots : 1)))
    }

    /// How full it is, and how often it answered.
    var reading: CacheReading {
        state.withLock { state in
            CacheReading(
                entries: state.entries.count, bytes: state.entries.cost,
                mostBytes: state.entries.capacity, found: state.found, notFound: state.notFound,
                evictions: state.entries.evictions)
        }
    }

    /// Whether no entry ever had to go for another one.
    var hasRoom: Bool { isOn && state.withLock { $0.entries.evictions == 0 } }

    // MARK: The committer

    /// Removes the entries of `users`, which the commit of that version touches.
    ///
    /// It is called in each commit, for no users too: a transaction that runs again starts over.
    ///
    /// - Parameter removed: Called with each user that had an entry.
    func invalidate(
        _ users: Set<AppUser>, in version: UInt64, _ removed: (AppUser) -> Void = { _ in }
    ) {
        guard isOn else { return }
        state.withLock { state in
            state.staged = ([], version)
            for user in users {
                state.invalidated.note(user.slot, in: version)
                if state.entries.remove(user) != nil { removed(user) }
            }
        }
    }

    /// Takes values that the commit under way wrote, to insert them when it has succeeded.
    func stage(_ values: [(AppUser, Value)]) {
        state.withLock { $0.staged.values = values }
    }

    /// Inserts what was staged, if the commit succeeded; no reader takes it before the clock has
    /// its version.
    func didCommit(_ succeeded: Bool) {
        guard isOn else { return }
        state.withLock { state in
            guard !state.staged.values.isEmpty else { return }
            if succeeded {
                for (user, value) in state.staged.values {
                    let entry = Entry(value: value, version: state.staged.version)
                    state.entries.insert(entry, for: user, cost: value.cost)
                }
            }
            state.staged.values = []
        }
    }

    // MARK: Readers

    /// The value of `user` in the view of a reader that took `readVersion` before; nil if no valid
    /// entry has it.
    func value(of user: AppUser, at readVersion: ReadVersion) -> Value? {
        state.withLock { $0.value(of: user, clock.check(at: readVersion)) }
    }

    /// Inserts what a reader found, who took `readVersion` before its view, unless a commit has
    /// touched the user since.
    func insert(_ value: Value, of user: AppUser, at readVersion: ReadVersion) {
        guard isOn else { return }
        state.withLock { $0.insert(value, of: user, at: readVersion) }
    }

    /// The values of `users` in the view of a reader that took `readVersion` before.
    ///
    /// - Parameter read: Reads the values that no valid entry has, in the order of their users; nil
    ///   for one that is not inserted.
    func values(
        of users: [UserID], in app: UInt32, at readVersion: ReadVersion,
        orRead read: ([UserID]) throws(StorageError) -> [Value?]
    ) throws(StorageError) -> [Value?] {
        var values: [Value?] = []
        values.reserveCapacity(users.count)
        var missing: [Int] = []
        let check = clock.check(at: readVersion)
        state.withLock { state in
            for (index, user) in users.enumerated() {
                let value = state.value(of: AppUser(app: app, user: user), check)
                values.append(value)
                if value == nil { missing.append(index) }
            }
        }
        guard !missing.isEmpty else { return values }
        let found = try read(missing.map { users[$0] })
        for (index, value) in zip(missing, found) { values[index] = value }
        guard isOn else { return values }
        state.withLock { state in
            for (index, value) in zip(missing, found) {
                guard let value else { continue }
                state.insert(value, of: AppUser(app: app, user: users[index]), at: readVersion)
            }
        }
        return values
    }
}

extension AppUser {
    /// The number by which ``InvalidationVersions`` know it.
    fileprivate var slot: UInt64 { UInt64(truncatingIfNeeded: hashValue) }
}
