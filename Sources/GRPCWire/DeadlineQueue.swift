public import NIOCore

/// The deadlines of the open calls of a server's loop or of a client, earliest first.
///
/// The entry of a call that ends earlier stays and becomes stale. It is dropped when its time
/// comes, or when the queue has grown and stale entries are swept. One timer serves all calls: to
/// cancel one of NIO's timers takes longer the more there are.
///
/// Its parts are inlinable: another room would go through the type of its calls otherwise.
@usableFromInline package struct DeadlineQueue<Call> {
    @usableFromInline package struct Entry {
        @usableFromInline package var time: NIODeadline
        @usableFromInline package var call: Call

        @inlinable package init(time: NIODeadline, call: Call) {
            self.time = time
            self.call = call
        }
    }

    /// A binary heap: no entry is later than its two children.
    @usableFromInline var heap: [Entry] = []

    /// The size at which stale entries are looked for.
    @usableFromInline var sweepSize = 1_024

    @inlinable package init() {}

    @inlinable package var earliest: NIODeadline? { heap.first?.time }
    @inlinable package var count: Int { heap.count }

    /// Adds an entry; `isLive` says which of the old entries belong to an open call.
    @inlinable package mutating func add(_ entry: Entry, isLive: (Entry) -> Bool) {
        if heap.count >= sweepSize {
            heap.removeAll { !isLive($0) }
            // A sorted array is a heap, and this is rare.
            heap.sort { $0.time < $1.time }
            sweepSize = max(1_024, heap.count * 2)
        }
        heap.append(entry)
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child].time < heap[parent].time else { break }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    /// Removes and returns the earliest entry if its time has come.
    @inlinable package mutating func popExpired(at now: NIODeadline) -> Entry? {
        guard let first = heap.first, first.time <= now else { return nil }
        let last = heap.removeLast()
        guard !heap.isEmpty else { return first }
        heap[0] = last
        var parent = 0
        while true {
            var child = 2 * parent + 1
            guard child < heap.count else { break }
            if child + 1 < heap.count, heap[child + 1].time < heap[child].time { child += 1 }
            guard heap[child].time < heap[parent].time else { break }
            heap.swapAt(child, parent)
            parent = child
        }
        return first
    }
}
