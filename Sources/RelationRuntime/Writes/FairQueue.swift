/// A queue that serves the owners of its elements fairly: deficit round robin.
///
/// Each owner has a line, served in order of arrival, and the owners with a line are served one
/// after the other. Each round gives a line a quantum: a number of operations. If the next element
/// costs more than the rest of the quantum, the line keeps that rest for its next round. So a new
/// owner waits for one quantum of each other owner, however long their lines are. A costly element
/// uses up the quanta of its own owner. The cost of taking an element does not grow with the queue,
/// except for rounds that pass a costly element by.
///
/// This is a value without threads or clock: its holder locks it.
struct FairQueue<Owner: Hashable & Sendable, Element> {
    private static var none: Int { -1 }

    /// Finds an element while it waits.
    ///
    /// After the element has left, the ticket finds no other element, even if the slot is used
    /// again.
    struct Ticket: Sendable {
        fileprivate let slot: Int
        fileprivate let number: UInt64
    }

    /// An element that waits, or a free slot.
    private struct Slot {
        var element: Element?
        var cost = 0
        /// The number of the element in order of arrival; 0 for a free slot.
        var number: UInt64 = 0
        var line = FairQueue.none
        /// The neighbours in the line; for a free slot, `next` is the next free slot.
        var previous = FairQueue.none
        var next = FairQueue.none
    }

    /// The elements of one owner that wait, or a free line.
    private struct Line {
        var owner: Owner
        var first = FairQueue.none
        var last = FairQueue.none
        var cost = 0
        /// The cost that may still be taken before the next owner is served.
        var credit: Int
        /// The neighbours in the order of the lines; for a free line, `next` is the next free line.
        var previous = FairQueue.none
        var next = FairQueue.none
    }

    /// The bound of the cost of all lines together.
    private let capacity: Int
    /// The cost that a line may take in one round.
    private let quantum: Int
    private var slots: [Slot] = []
    private var freeSlot = FairQueue.none
    private var lines: [Line] = []
    private var freeLine = FairQueue.none
    private var numbers: [Owner: Int] = [:]
    /// The line that is served now, and the last line in the order.
    private var head = FairQueue.none
    private var tail = FairQueue.none
    /// The number of elements that have ever waited.
    private var count: UInt64 = 0

    /// The cost of all elements that wait.
    private(set) var cost = 0

    init(capacity: Int, quantum: Int) {
        precondition(quantum > 0)
        self.capacity = capacity
        self.quantum = quantum
    }

    var isEmpty: Bool { head == Self.none }
    /// The number of owners with an element that waits.
    var owners: Int { numbers.count }
    /// The number of slots in memory.
    var heldSlots: Int { slots.count }

    /// Whether one more element of `owner` may wait.
    ///
    /// An owner may have as much waiting as is left free for all others. An owner that is alone
    /// takes half of the room, and two owners take a third each. So there is always some room for
    /// an owner with nothing waiting. The last element may go beyond that by its own cost.
    ///
    /// - Parameter others: The cost of what waits in other queues for the same room.
    func hasRoom(for owner: Owner, beside others: Int = 0) -> Bool {
        cost(of: owner) < capacity - cost - others
    }

    private func cost(of owner: Owner) -> Int {
        numbers[owner].map { lines[$0].cost } ?? 0
    }

    // MARK: In

    /// Puts `element` at the end of its owner's line; the caller has asked ``hasRoom(for:)``.
    @discardableResult
    mutating func append(_ element: Element, of owner: Owner, cost: Int) -> Ticket {
        let line = numbers[owner] ?? open(owner, credit: quantum, first: false)
        let slot = insert(element, cost, in: line)
        let last = lines[line].last
        slots[slot].previous = last
        if last == Self.none {
            lines[line].first = slot
        } else {
            slots[last].next = slot
        }
        lines[line].last = slot
        return Ticket(slot: slot, number: count)
    }

    /// Puts a taken element back before all others of its owner, and returns its cost to the owner.
    ///
    /// Several elements go back in the reverse order of that in which they were taken.
    mutating func requeue(_ element: Element, of owner: Owner, cost: Int) {
        let line = numbers[owner] ?? open(owner, credit: 0, first: true)
        let slot = insert(element, cost, in: line)
        let first = lines[line].first
        slots[slot].next = first
        if first == Self.none {
            lines[line].last = slot
        } else {
            slots[first].previous = slot
        }
        lines[line].first = slot
        // While the owner was alone it paid nothing, so it gets back no more than a quantum.
        lines[line].credit = min(lines[line].credit + cost, max(quantum, cost))
    }

    private mutating func insert(_ element: Element, _ cost: Int, in line: Int) -> Int {
        count += 1
        lines[line].cost += cost
        self.cost += cost
        let kept = Slot(element: element, cost: cost, number: count, line: line)
        guard freeSlot != Self.none else {
            slots.append(kept)
            return slots.count - 1
        }
        let slot = freeSlot
        freeSlot = slots[slot].next
        slots[slot] = kept
        return slot
    }

    private mutating func open(_ owner: Owner, credit: Int, first: Bool) -> Int {
        let line: Int
        if freeLine == Self.none {
            line = lines.count
            lines.append(Line(owner: owner, credit: credit))
        } else {
            line = freeLine
            freeLine = lines[line].next
            lines[line] = Line(owner: owner, credit: credit)
        }
        numbers[owner] = line
        if isEmpty {
            (head, tail) = (line, line)
        } else if first {
            lines[line].next = head
            lines[head].previous = line
            head = line
        } else {
            lines[line].previous = tail
            lines[tail].next = line
            tail = line
        }
        return line
    }

    // MARK: Out

    /// Takes the next element, if there is any and it costs no more than `room`.
    ///
    /// - Parameters:
    ///   - isStale: Says whether an element that comes next is no longer wanted. Such an element
    ///     leaves, and its owner pays nothing for it.
    ///   - fits: Says whether an element that is the next one may be taken now.
    mutating func dequeue(
        atMost room: Int = .max, unless isStale: (Element) -> Bool = { _ in false },
        if fits: (Element) -> Bool = { _ in true }
    ) -> Element? {
        while head != Self.none {
            let slot = lines[head].first
            let cost = slots[slot].cost
            guard let element = slots[slot].element else {
                preconditionFailure("a line with a free slot in it")
            }
            if isStale(element) {
                unlinkElement(slot)
            } else if lines[head].credit < cost, head != tail {
                passToNext()
            } else if cost > room || !fits(element) {
                return nil
            } else {
                // An owner that is alone may take more than its credit: no other owner waits.
                lines[head].credit = max(0, lines[head].credit - cost)
                unlinkElement(slot)
                return element
            }
        }
        return nil
    }

    /// Takes out an element that is no longer wanted, wherever it waits, at a cost that does not
    /// grow with the queue.
    ///
    /// - Returns: The element; nil if it no longer waits.
    mutating func remove(_ ticket: Ticket) -> Element? {
        guard slots.indices.contains(ticket.slot), slots[ticket.slot].number == ticket.number
        else { return nil }
        let element = slots[ticket.slot].element
        unlinkElement(ticket.slot)
        return element
    }

    /// Takes out all elements of an owner, in their order.
    mutating func dequeueAll(of owner: Owner) -> [Element] {
        var elements: [Element] = []
        while let line = numbers[owner] {
            let slot = lines[line].first
            if let element = slots[slot].element { elements.append(element) }
            unlinkElement(slot)
        }
        return elements
    }

    /// Takes out all elements, those of each owner in their order.
    mutating func dequeueAll() -> [Element] {
        var elements: [Element] = []
        while head != Self.none { elements += dequeueAll(of: lines[head].owner) }
        return elements
    }

    /// Removes the element at `slot`, and its line if the line is empty then.
    private mutating func unlinkElement(_ slot: Int) {
        let (line, previous, next) = (
            slots[slot].line, slots[slot].previous, slots[slot].next
        )
        cost -= slots[slot].cost
        lines[line].cost -= slots[slot].cost
        if previous == Self.none {
            lines[line].first = next
        } else {
            slots[previous].next = next
        }
        if next == Self.none {
            lines[line].last = previous
        } else {
            slots[next].previous = previous
        }
        slots[slot] = Slot(element: nil, next: freeSlot)
        freeSlot = slot
        if lines[line].first == Self.none { close(line) }
    }

    /// Frees the line of an owner that has no element left.
    private mutating func close(_ line: Int) {
        unlink(line)
        numbers[lines[line].owner] = nil
        lines[line].next = freeLine
        freeLine = line
        if isEmpty { shrink() }
    }

    /// Takes a line out of the order of the lines.
    private mutating func unlink(_ line: Int) {
        let (previous, next) = (lines[line].previous, lines[line].next)
        if previous == Self.none { head = next } else { lines[previous].next = next }
        if next == Self.none { tail = previous } else { lines[next].previous = previous }
        lines[line].previous = Self.none
        lines[line].next = Self.none
    }

    /// Moves the line at the head to the end, because its quantum is used up.
    ///
    /// It is not the only line.
    private mutating func passToNext() {
        let line = head
        lines[line].credit += quantum
        unlink(line)
        lines[line].previous = tail
        lines[tail].next = line
        tail = line
    }

    /// Keeps memory for a few elements when nothing waits.
    private mutating func shrink() {
        guard max(slots.count, lines.count) > RuntimeLimits.keptSlots else { return }
        (slots, freeSlot) = ([], Self.none)
        (lines, freeLine) = ([], Self.none)
        numbers = [:]
    }

    // MARK: How long

    /// The cost of all elements that will be taken before a new element of `owner` that costs
    /// `cost`, if no more elements come.
    ///
    /// It is exact up to the cost of single elements, as long as the lines are few enough to be
    /// counted. For the lines beyond that number it is an upper bound.
    func costAhead(of owner: Owner, cost: Int) -> Int {
        let own = numbers[owner]
        let before = own.map { lines[$0].cost } ?? 0
        let credit = own.map { lines[$0].credit } ?? quantum
        // The rounds that the owner needs beside the one that it has credit for.
        let rounds = (max(0, before + cost - credit) + quantum - 1) / quantum
        var ahead = before
        var counted = before
        var line = head
        var hasPassed = false
        for _ in 0..<min(owners, RuntimeLimits.countedOwners) {
            if line == own {
                hasPassed = true
            } else {
                // Lines after it have one round less before its last one.
                let visits = hasPassed ? rounds : rounds + 1
                let most = lines[line].credit + (visits - 1) * quantum
                if visits > 0 { ahead += min(lines[line].cost, most) }
                counted += lines[line].cost
            }
            line = lines[line].next
        }
        guard owners > RuntimeLimits.countedOwners else { return ahead }
        let most = (owners - RuntimeLimits.countedOwners) * (rounds + 1) * quantum
        return ahead + min(self.cost - counted, most)
    }
}
