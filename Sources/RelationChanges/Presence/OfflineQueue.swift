import RelationCore

/// Users in the order in which they went offline.
struct OfflineQueue {
    struct Entry {
        let appUser: AppUser
        let number: UInt64
    }

    private var entries: [Entry] = []
    /// The index of the first entry; those before it have been taken.
    private var first = 0
    private var nextNumber: UInt64 = 0

    /// The number of entries, with those of users that came back.
    var count: Int { entries.count - first }

    /// Adds a user, and returns the number of its entry.
    mutating func add(_ appUser: AppUser) -> UInt64 {
        nextNumber += 1
        entries.append(Entry(appUser: appUser, number: nextNumber))
        return nextNumber
    }

    mutating func removeFirst() -> Entry? {
        guard first < entries.count else { return nil }
        defer {
            first += 1
            if first > entries.count / 2 {
                entries.removeFirst(first)
                first = 0
            }
        }
        return entries[first]
    }

    mutating func retain(_ isKept: (Entry) -> Bool) {
        entries = entries[first...].filter(isKept)
        first = 0
    }
}
