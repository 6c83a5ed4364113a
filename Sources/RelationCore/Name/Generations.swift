/// A dictionary of bounded size that forgets the entries that were not read lately.
///
/// Entries are young or old, and reading one makes it young. When the young ones fill half of the
/// capacity, the old ones are forgotten and the young ones become the old ones.
struct Generations<Key: Hashable, Value> {
    /// The most that all values together may cost, in the unit of `cost`.
    let capacity: Int
    private var young: [Key: Entry] = [:]
    private var old: [Key: Entry] = [:]
    private var youngCost = 0
    private var oldCost = 0

    private struct Entry {
        var value: Value
        var cost: Int
    }

    init(capacity: Int) {
        self.capacity = capacity
    }

    var cost: Int { youngCost + oldCost }

    mutating func value(of key: Key) -> Value? {
        if let entry = young[key] { return entry.value }
        guard let entry = old.removeValue(forKey: key) else { return nil }
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
            (old, oldCost) = (young, youngCost)
            (young, youngCost) = ([:], 0)
        }
        young[key] = entry
        youngCost += entry.cost
    }
}
