/// A dictionary of bounded size that forgets the entries that were not read lately.
///
/// Entries are young or old, and reading one makes it young. When the young ones fill half of the
/// capacity, the old ones are forgotten and the young ones become the old ones.
struct SegmentedCache<Key: Hashable, Value> {
    /// The most that all values together may cost, in the unit of `cost`.
    let capacity: Int
    private var young: [Key: Entry] = [:]
    private var old: [Key: Entry] = [:]
    private var youngCost = 0
    private var oldCost = 0
    /// How often a value was found, or not, and how many values were forgotten to make room.
    private(set) var found: UInt64 = 0
    private(set) var notFound: UInt64 = 0
    private(set) var evictions: UInt64 = 0

    private struct Entry {
        var value: Value
        var cost: Int
    }

    init(capacity: Int) {
        self.capacity = capacity
    }

    var cost: Int { youngCost + oldCost }

    var reading: CacheReading {
        CacheReading(
            entries: young.count + old.count, bytes: cost, mostBytes: capacity, found: found,
            notFound: notFound, evictions: evictions)
    }

    mutating func value(of key: Key) -> Value? {
        if let entry = young[key] {
            found &+= 1
            return entry.value
        }
        guard let entry = old.removeValue(forKey: key) else {
            notFound &+= 1
            return nil
        }
        found &+= 1
        oldCost -= entry.cost
        insert(entry, for: key)
        return entry.value
    }

    /// Keeps `value`, unless it costs more than half of the capacity.
    mutating func set(_ key: Key, to value: Value, cost: Int) {
        remove(key)
        guard cost <= capacity / 2 else { return }
        insert(Entry(value: value, cost: cost), for: key)
    }

    @discardableResult
    mutating func remove(_ key: Key) -> Value? {
        if let entry = young.removeValue(forKey: key) {
            youngCost -= entry.cost
            return entry.value
        }
        guard let entry = old.removeValue(forKey: key) else { return nil }
        oldCost -= entry.cost
        return entry.value
    }

    private mutating func insert(_ entry: Entry, for key: Key) {
        if youngCost + entry.cost > capacity / 2 {
            evictions &+= UInt64(old.count)
            (old, oldCost) = (young, youngCost)
            (young, youngCost) = ([:], 0)
        }
        young[key] = entry
        youngCost += entry.cost
    }
}
