/// Streams in order of arrival, each of which may leave from any slot.
///
/// A slot that was left stays empty until more slots are empty than not.
struct WaitingStreams {
    /// Empty slots that are always allowed.
    static let slack = 64

    private var slots: [WatchStream?] = []
    /// No stream stands before this slot.
    private var first = 0
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }
    /// The number of slots in memory.
    var heldSlots: Int { slots.count }

    mutating func append(_ stream: WatchStream) {
        precondition(stream.waitingSlot < 0, "a stream waits only once")
        stream.waitingSlot = slots.count
        slots.append(stream)
        count += 1
    }

    mutating func remove(_ stream: WatchStream) {
        guard stream.waitingSlot >= 0 else { return }
        slots[stream.waitingSlot] = nil
        stream.waitingSlot = -1
        count -= 1
        compact()
    }

    mutating func popFirst() -> WatchStream? {
        guard count > 0 else { return nil }
        while slots[first] == nil { first += 1 }
        let stream = slots[first]
        if let stream { remove(stream) }
        return stream
    }

    private mutating func compact() {
        guard slots.count > 2 * count + Self.slack else { return }
        slots.removeAll { $0 == nil }
        for (slot, stream) in slots.enumerated() { stream?.waitingSlot = slot }
        first = 0
    }
}
