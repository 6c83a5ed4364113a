/// The advisory locks of a modelled server, which sessions hold until their transactions end.
///
/// A lock is exclusive or shared. A session that asks for one waits behind those that hold it, and
/// behind those that have asked before.
struct ModelLocks {
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

    private var locks: [Int64: Lock] = [:]
    /// The lock for which each session waits.
    private var waits: [Int: Int64] = [:]

    /// How many sessions wait for a lock.
    var waitingCount: Int { waits.count }

    /// Whether a session holds any lock.
    func holds(_ session: Int) -> Bool {
        locks.values.contains { $0.holders.contains { $0.session == session } }
    }

    /// Takes a lock, if it is free.
    mutating func acquire(_ number: Int64, isShared: Bool = false, by session: Int) -> Bool {
        let claim = Claim(session: session, isShared: isShared)
        guard !locks[number, default: Lock()].conflicts(with: claim) else { return false }
        locks[number, default: Lock()].holders.append(claim)
        return true
    }

    /// Lets a session wait for a lock that it could not take.
    mutating func wait(for number: Int64, isShared: Bool = false, by session: Int) {
        locks[number, default: Lock()].waiting.append(Claim(session: session, isShared: isShared))
        waits[session] = number
    }

    /// Gives back all locks of a session, and ends its wait.
    ///
    /// - Returns: The sessions that have got the lock for which they waited.
    mutating func release(_ session: Int) -> [Int] {
        var granted: [Int] = []
        if let number = waits.removeValue(forKey: session) {
            locks[number]?.waiting.removeAll { $0.session == session }
            granted += grant(number)
        }
        let held = locks.filter { $0.value.holders.contains { $0.session == session } }
        for number in held.keys.sorted() {
            locks[number]?.holders.removeAll { $0.session == session }
            granted += grant(number)
        }
        return granted
    }

    /// Gives a lock to the first of those who wait for it, as far as it goes.
    private mutating func grant(_ number: Int64) -> [Int] {
        var granted: [Int] = []
        while let first = locks[number]?.waiting.first {
            guard locks[number]?.holders.contains(where: { $0.conflicts(with: first) }) == false
            else { break }
            locks[number]?.waiting.removeFirst()
            locks[number]?.holders.append(first)
            waits[first.session] = nil
            granted.append(first.session)
        }
        if locks[number]?.holders.isEmpty == true, locks[number]?.waiting.isEmpty == true {
            locks[number] = nil
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
        guard let number = waits[session], let lock = locks[number],
            let place = lock.waiting.firstIndex(where: { $0.session == session })
        else { return [] }
        let claim = lock.waiting[place]
        return (lock.holders + lock.waiting[..<place]).filter { $0.conflicts(with: claim) }
            .map(\.session)
    }
}
