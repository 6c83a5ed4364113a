/// The times at which users are tried again, the earliest first: a binary heap.
struct RetryTimes: Sendable {
    struct Entry: Sendable {
        let time: Int64
        /// The number of the entry, in the order in which entries were made.
        let number: UInt64
        let user: String

        fileprivate func comes(before other: Entry) -> Bool {
            (time, number) < (other.time, other.number)
        }
    }

    private var entries: [Entry] = []
    private var numbers: UInt64 = 0

    var count: Int { entries.count }
    var first: Entry? { entries.first }

    mutating func insert(_ user: String, at time: Int64) {
        numbers += 1
        entries.append(Entry(time: time, number: numbers, user: user))
        var index = entries.count - 1
        while index > 0, entries[index].comes(before: entries[(index - 1) / 2]) {
            entries.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    mutating func popFirst() -> Entry? {
        guard let first = entries.first else { return nil }
        let last = entries.removeLast()
        guard !entries.isEmpty else { return first }
        entries[0] = last
        var index = 0
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2]
            where child < entries.count && entries[child].comes(before: entries[least]) {
                least = child
            }
            guard least != index else { return first }
            entries.swapAt(index, least)
            index = least
        }
    }
}
