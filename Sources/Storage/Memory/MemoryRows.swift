/// The rows of one state of a ``MemoryStore``, sorted by key, each key once.
package struct MemoryRows: Sendable {
    /// A row: a key with its value.
    package struct Row: Sendable {
        package let key: [UInt8]
        package var value: [UInt8]
    }

    package private(set) var all: [Row] = []

    package init() {}

    package func value(of key: [UInt8]) -> [UInt8]? {
        let index = firstIndex(notBefore: key)
        return index < all.count && all[index].key == key ? all[index].value : nil
    }

    /// Sets the row of `key`, or removes it if `value` is nil.
    package mutating func set(_ key: [UInt8], to value: [UInt8]?) {
        let index = firstIndex(notBefore: key)
        let isThere = index < all.count && all[index].key == key
        switch (isThere, value) {
        case (true, let value?): all[index].value = value
        case (true, nil): all.remove(at: index)
        case (false, let value?): all.insert(Row(key: key, value: value), at: index)
        case (false, nil): break
        }
    }

    /// The rows from `lower`, inclusive, to `upper`, exclusive; none if `lower` is above `upper`.
    package func slice(from lower: [UInt8], to upper: [UInt8]) -> ArraySlice<Row> {
        let first = firstIndex(notBefore: lower)
        return all[first..<max(first, firstIndex(notBefore: upper))]
    }

    func checkInvariants() {
        for (one, next) in zip(all, all.dropFirst()) {
            precondition(one.key.lexicographicallyPrecedes(next.key), "rows out of order")
        }
    }

    private func firstIndex(notBefore key: [UInt8]) -> Int {
        var low = 0
        var high = all.count
        while low < high {
            let middle = (low + high) / 2
            if all[middle].key.lexicographicallyPrecedes(key) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }
}
