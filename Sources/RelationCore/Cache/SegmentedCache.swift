/// A dictionary of bounded size that evicts the entries that were not read lately.
///
/// Entries are young or old, and reading one makes it young. When the young ones fill half of the
/// capacity, the old ones are evicted and the young ones become the old ones.
struct SegmentedCache<Key: Hashable, Value> {
    /// The most that all values together may cost, in the unit of `cost`.
    let capacity: Int
    private var young: [Key: Entry] = [:]
    private var old: [Key: Entry] = [:]
    private var youngCost = 0
    private var oldCost = 0
    /// How many entries were evicted to make room.
    private(set) var evictions: UInt64 = 0

    private struct Entry {
        var value: Value
        var cost: Int
    }

    init(capacity: Int) {
        self.capacity = capacity
    }

    var cost: Int { youngCost + oldCost }

    var count: Int { young.count + old.count }

    mutating func value(of key: Key) -> Value? {
        if let entry = young[key] { return entry.value }
        guard let entry = old.removeValue(forKey: key) else { return nil }
        oldCost -= entry.cost
        insert(entry, for: key)
        return entry.value
    }

    /// Inserts `value`, unless it costs more than half of the capacity.
    mutating func insert(_ value: Value, for key: Key, cost: Int) {
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
