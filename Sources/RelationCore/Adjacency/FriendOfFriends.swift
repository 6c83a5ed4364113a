import RelationModel

/// A user that has friends in common with another, as adjacency lists say it.
struct FriendOfFriends {
    let user: UserID
    /// How many friends the two share.
    let count: Int
    /// The first of them, as indices in the list of friends that was given.
    let named: [Int32]
    /// Whether it is known to be an account that is not suspended.
    let isUnsuspended: Bool
    /// Whether an application between the two may wait.
    let mayWait: Bool
}

extension AdjacencyCache {
    /// The friends of `user` in the order of their ids; nil if its adjacency list is not known at
    /// `readVersion`.
    func friends(of user: UserID, app: UInt32, at readVersion: ReadVersion) -> [UserID]? {
        var text = user.text
        let friends = text.withUTF8 { id in
            lookUp(at: readVersion) { view -> [UserID]? in
                guard let list = view.list(app, UnsafeRawBufferPointer(id)) else { return nil }
                var friends: [UserID] = []
                friends.reserveCapacity(list.livingCount)
                list.forEachMember { id, facts in
                    if facts.isMine { friends.append(UserID(stored: id)) }
                    return true
                }
                return friends
            }
        }
        return friends?.sorted()
    }

    /// Calls `body` with the id of each friend that the two users share, in any order.
    ///
    /// - Returns: Nil if the adjacency list of either is not known at `readVersion`.
    func sharedFriends(
        of one: UserID, and other: UserID, app: UInt32, at readVersion: ReadVersion
    ) -> [UserID]? {
        var (oneText, otherText) = (one.text, other.text)
        let shared = oneText.withUTF8 { one in
            otherText.withUTF8 { other in
                lookUp(at: readVersion) { view in
                    guard let mine = view.list(app, UnsafeRawBufferPointer(one)),
                        let theirs = view.list(app, UnsafeRawBufferPointer(other))
                    else { return nil as [UserID]? }
                    let isShorter = mine.livingCount <= theirs.livingCount
                    let (shorter, longer) = isShorter ? (mine, theirs) : (theirs, mine)
                    var shared: [UserID] = []
                    shorter.forEachMember { id, facts in
                        if facts.isMine, longer.facts(about: id, view.hash(id)).isMine {
                            shared.append(UserID(stored: id))
                        }
                        return true
                    }
                    return shared
                }
            }
        }
        return shared
    }

    /// The users with the most friends in common with `owner`, and of as many those with the first
    /// ids; without its friends and those with a blacklist between.
    ///
    /// - Parameters:
    ///   - friends: The owner's friends whose lists count.
    ///   - limit: The most users to return.
    ///   - rows: The most rows that all lists together may have.
    /// - Returns: The users, and whether there are more; nil if an adjacency list is not known at
    ///   `readVersion`, or if the lists are too long.
    func friendsOfFriends(
        of owner: UserID, _ friends: [UserID], limit: Int, rows: Int, app: UInt32,
        at readVersion: ReadVersion
    ) -> (users: [FriendOfFriends], hasMore: Bool)? {
        var text = owner.text
        return text.withUTF8 { ownerID in
            lookUp(at: readVersion) { view in
                let ownerID = UnsafeRawBufferPointer(ownerID)
                guard let mine = view.list(app, ownerID) else { return nil }
                var lists: [AdjacencyList] = []
                lists.reserveCapacity(friends.count)
                for friend in friends {
                    var text = friend.text
                    let list = text.withUTF8 { view.list(app, UnsafeRawBufferPointer($0)) }
                    guard let list else { return nil }
                    lists.append(list)
                }
                var counting = MutualCount(ownerID, mine, lists.count, view)
                var left = rows
                for (index, list) in lists.enumerated() {
                    left -= counting.add(list, Int32(index))
                    guard left >= 0 else { return nil }
                }
                return counting.first(limit, app)
            }
        }
    }
}

/// Counts in how many lists each user stands.
///
/// It holds pointers into adjacency lists, and lives only as long as the look at them.
private struct MutualCount {
    private struct Entry {
        /// The id, in one of the adjacency lists that are looked at.
        let id: UnsafeRawBufferPointer
        let hash: UInt64
        let mayWait: Bool
        var count: Int32 = 0
        var namedCount: Int32 = 0
    }

    private let owner: UnsafeRawBufferPointer
    private let mine: AdjacencyList
    private let listCount: Int
    private let view: AdjacencyView
    private var entries: [Entry] = []
    /// The names of each entry stand together.
    private var named: [Int32] = []
    /// A hash table of indices in `entries`, plus 1.
    private var slots = [Int32](repeating: 0, count: 1_024)

    init(
        _ owner: UnsafeRawBufferPointer, _ mine: AdjacencyList, _ listCount: Int,
        _ view: AdjacencyView
    ) {
        self.owner = owner
        self.mine = mine
        self.listCount = listCount
        self.view = view
    }

    /// Counts the friends in one list.
    ///
    /// - Returns: How many friends it has.
    mutating func add(_ list: AdjacencyList, _ friend: Int32) -> Int {
        var friends = 0
        list.forEachMember { id, facts in
            guard facts.isMine else { return true }
            friends += 1
            let hash = view.hash(id)
            let own = mine.facts(about: id, hash)
            guard !own.isMine, !own.isBlocked, !own.isBlocking else { return true }
            guard id.count != owner.count || !id.isSame(at: owner.baseAddress!) else { return true }
            count(id, hash, own.mayWait, friend)
            return true
        }
        return friends
    }

    private mutating func count(
        _ id: UnsafeRawBufferPointer, _ hash: UInt64, _ mayWait: Bool, _ friend: Int32
    ) {
        var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
        var found = -1
        while slots[slot] != 0 {
            let entry = Int(slots[slot]) - 1
            if entries[entry].hash == hash, entries[entry].id.count == id.count,
                id.isSame(at: entries[entry].id.baseAddress!)
            {
                found = entry
                break
            }
            slot = (slot + 1) & (slots.count - 1)
        }
        if found < 0 {
            found = entries.count
            entries.append(Entry(id: id, hash: hash, mayWait: mayWait))
            for _ in 0..<Limits.suggestionNames { named.append(0) }
            slots[slot] = Int32(entries.count)
            if entries.count * 2 > slots.count { grow() }
        }
        entries[found].count += 1
        let names = entries[found].namedCount
        if names < Limits.suggestionNames {
            named[found * Limits.suggestionNames + Int(names)] = friend
            entries[found].namedCount += 1
        }
    }

    private mutating func grow() {
        slots = [Int32](repeating: 0, count: slots.count * 4)
        for (index, entry) in entries.enumerated() {
            var slot = Int(truncatingIfNeeded: entry.hash) & (slots.count - 1)
            while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
            slots[slot] = Int32(index + 1)
        }
    }

    /// The first users: those with the highest counts, then in the order of their ids.
    func first(_ limit: Int, _ app: UInt32) -> (users: [FriendOfFriends], hasMore: Bool) {
        // The lowest count of which any user is among the first ones.
        var withCount = [Int](repeating: 0, count: listCount + 1)
        for entry in entries { withCount[Int(entry.count)] += 1 }
        var (least, above) = (listCount, 0)
        while least > 1, above + withCount[least] < limit {
            above += withCount[least]
            least -= 1
        }
        var order = entries.indices.filter { Int(entries[$0].count) >= least }
        order.sort { precedes(entries[$0], entries[$1]) }
        let users = order.prefix(limit).map { index in
            let entry = entries[index]
            let start = index * Limits.suggestionNames
            return FriendOfFriends(
                user: UserID(stored: entry.id), count: Int(entry.count),
                named: Array(named[start..<start + Int(entry.namedCount)]),
                isUnsuspended: view.account(app, entry.id, entry.hash)?.isUnsuspended ?? false,
                mayWait: entry.mayWait)
        }
        return (users, entries.count > users.count)
    }

    private func precedes(_ one: Entry, _ other: Entry) -> Bool {
        guard one.count == other.count else { return one.count > other.count }
        let common = min(one.id.count, other.id.count)
        for offset in 0..<common where one.id[offset] != other.id[offset] {
            return one.id[offset] < other.id[offset]
        }
        return one.id.count < other.id.count
    }
}
