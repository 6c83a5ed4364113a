/// The part of a log between the first event that is not settled and the last one that was offered.
///
/// It has an entry for each event that waits. Settled events between two of them are one range in
/// the entry before, so they cost nothing however many they are.
struct DeliveryWindow: Sendable {
    private struct Entry {
        var position: Int64
        var timeMilliseconds: Int64
        var previous: Int
        var next: Int
        /// The settled events after this one and before the next one that waits.
        var settled: ClosedRange<Int64>?
    }

    /// The entry at index 0 stands before the first event and after the last one.
    private var entries = [
        Entry(position: 0, timeMilliseconds: 0, previous: 0, next: 0, settled: nil)
    ]
    private var free: [Int] = []

    /// All events up to here are settled.
    private(set) var lowWater: Int64
    /// The log is read up to here.
    private(set) var readThrough: Int64
    /// The settled ranges of before a restart that are not passed yet, from ``nextLater`` on.
    private var later: [ClosedRange<Int64>]
    private var nextLater = 0

    private(set) var count = 0

    init(_ progress: DeliveryProgress) {
        lowWater = progress.lowWater
        readThrough = progress.lowWater
        later = progress.later
    }

    /// When the first event that waits happened.
    var oldestMilliseconds: Int64? {
        count == 0 ? nil : entries[entries[0].next].timeMilliseconds
    }

    /// Whether an event was settled before a restart.
    ///
    /// Positions must come in ascending order.
    mutating func wasSettled(_ position: Int64) -> Bool {
        while nextLater < later.count, later[nextLater].upperBound < position { nextLater += 1 }
        guard nextLater < later.count else {
            later = []
            nextLater = 0
            return false
        }
        return later[nextLater].contains(position)
    }

    /// Forgets which events up to a position were settled before a restart.
    mutating func forgetSettled(through position: Int64) {
        later = later[nextLater...].compactMap { range in
            guard range.upperBound > position else { return nil }
            return max(range.lowerBound, position + 1)...range.upperBound
        }
        nextLater = 0
    }

    /// Adds an event that waits, after all others.
    ///
    /// - Returns: The number by which ``settle(_:)`` knows it.
    mutating func add(_ event: DeliveryEvent) -> Int {
        let last = entries[0].previous
        let entry = Entry(
            position: event.position, timeMilliseconds: event.timeMilliseconds, previous: last,
            next: 0, settled: nil)
        let index: Int
        if let reused = free.popLast() {
            index = reused
            entries[index] = entry
        } else {
            index = entries.count
            entries.append(entry)
        }
        entries[last].next = index
        entries[0].previous = index
        count += 1
        readThrough = event.position
        return index
    }

    /// Adds an event that is settled already, after all others.
    mutating func addSettled(_ position: Int64) {
        readThrough = position
        guard count > 0 else {
            lowWater = position
            return
        }
        let last = entries[0].previous
        entries[last].settled = (entries[last].settled?.lowerBound ?? position)...position
    }

    /// Notes that there is no further event up to a position.
    mutating func read(through position: Int64) {
        readThrough = max(readThrough, position)
        if count == 0 { lowWater = max(lowWater, readThrough) }
    }

    /// Notes that an event needs no further attempt.
    mutating func settle(_ index: Int) {
        let entry = entries[index]
        let end = entry.settled?.upperBound ?? entry.position
        entries[entry.previous].next = entry.next
        entries[entry.next].previous = entry.previous
        if entry.previous == 0 {
            lowWater = end
        } else {
            let begin = entries[entry.previous].settled?.lowerBound ?? entry.position
            entries[entry.previous].settled = begin...end
        }
        free.append(index)
        count -= 1
        if count == 0 {
            lowWater = readThrough
            entries.removeSubrange(1...)
            free = []
        }
    }

    /// The settled ranges above the low-water position, the lowest first.
    func settledLater(atMost limit: Int) -> [ClosedRange<Int64>] {
        var ranges: [ClosedRange<Int64>] = []
        var index = entries[0].next
        while index != 0, ranges.count < limit {
            if let settled = entries[index].settled { ranges.append(settled) }
            index = entries[index].next
        }
        // The reader has not come to these again.
        ranges += later[nextLater...].lazy.filter { $0.upperBound > lowWater }
            .prefix(limit - ranges.count)
        return ranges
    }
}
