/// The locks of a modelled server, which sessions hold until their transactions end: advisory ones,
/// and those of rows that a transaction has changed.
///
/// A lock is exclusive or shared. A session that asks for one waits behind those that hold it, and
/// behind those that have asked before.
struct ModelLocks {
    /// The thing that is locked.
    enum Name: Hashable, Comparable {
        case advisory(Int64)
        /// The lease of a process.
        case lease(String)

        var isAdvisory: Bool {
            if case .advisory = self { true } else { false }
        }
    }

    private struct Claim {
        let session: Int
        let isShared: Bool

        func conflicts(with other: Claim) -> Bool {
            session != other.session && !(isShared && other.isShared)
        }
    }

    private struct Lock {
        var holders: [Claim] = []
        var waiting: [Claim] = []

        func conflicts(with claim: Claim) -> Bool {
            if holders.contains(where: { $0.conflicts(with: claim) }) { return true }
            // One who holds it already passes by those who wait.
            if holders.contains(where: { $0.session == claim.session }) { return false }
            return waiting.contains { $0.conflicts(with: claim) }
        }
    }

    private var locks: [Name: Lock] = [:]
    /// The lock for which each session waits.
    private var waits: [Int: Name] = [:]

    /// How many sessions wait for a lock.
    var waitingCount: Int { waits.count }

    /// Whether a session holds any advisory lock.
    func holds(_ session: Int) -> Bool {
        locks.contains { name, lock in
            name.isAdvisory && lock.holders.contains { $0.session == session }
        }
    }

    /// Takes a lock, if it is free.
    mutating func acquire(_ name: Name, isShared: Bool = false, by session: Int) -> Bool {
        let claim = Claim(session: session, isShared: isShared)
        guard !locks[name, default: Lock()].conflicts(with: claim) else { return false }
        locks[name, default: Lock()].holders.append(claim)
        return true
    }

    /// Lets a session wait for a lock that it could not take.
    mutating func wait(for name: Name, isShared: Bool = false, by session: Int) {
        locks[name, default: Lock()].waiting.append(Claim(session: session, isShared: isShared))
        waits[session] = name
    }

    /// Gives back all locks of a session, and ends its wait.
    ///
    /// - Returns: The sessions that have got the lock for which they waited.
    mutating func release(_ session: Int) -> [Int] {
        var granted: [Int] = []
        if let name = waits.removeValue(forKey: session) {
            locks[name]?.waiting.removeAll { $0.session == session }
            granted += grant(name)
        }
        let held = locks.filter { $0.value.holders.contains { $0.session == session } }
        for name in held.keys.sorted() {
            locks[name]?.holders.removeAll { $0.session == session }
            granted += grant(name)
        }
        return granted
    }

    /// Gives a lock to the first of those who wait for it, as far as it goes.
    private mutating func grant(_ name: Name) -> [Int] {
        var granted: [Int] = []
        while let first = locks[name]?.waiting.first {
            guard locks[name]?.holders.contains(where: { $0.conflicts(with: first) }) == false
            else { break }
            locks[name]?.waiting.removeFirst()
            locks[name]?.holders.append(first)
            waits[first.session] = nil
            granted.append(first.session)
        }
        if locks[name]?.holders.isEmpty == true, locks[name]?.waiting.isEmpty == true {
            locks[name] = nil
        }
        return granted
    }

    /// Whether a session waits for itself, over others.
    func isDeadlocked(_ session: Int) -> Bool {
        var seen: Set<Int> = []
        var next = blockers(of: session)
        while let other = next.popLast() {
            if other == session { return true }
            guard seen.insert(other).inserted else { continue }
            next += blockers(of: other)
        }
        return false
    }

    /// The sessions for which one waits.
    private func blockers(of session: Int) -> [Int] {
        guard let name = waits[session], let lock = locks[name],
            let place = lock.waiting.firstIndex(where: { $0.session == session })
        else { return [] }
        let claim = lock.waiting[place]
        return (lock.holders + lock.waiting[..<place]).filter { $0.conflicts(with: claim) }
            .map(\.session)
    }
}
