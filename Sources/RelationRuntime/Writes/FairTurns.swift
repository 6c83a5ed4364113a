/// What waits, with fair turns for its owners: deficit round robin.
///
/// Each owner has a line, served in the order in which it came, and those that have one take turns.
/// A turn is worth a number of operations; what a line does not use of it, because its next element
/// costs more, it keeps for its next turn. So an owner that has just come waits for one turn of
/// each other, however long their lines are, and dear elements cost their owner its turns. Taking
/// costs the same whatever waits, but for the turns that pass a dear element by.
///
/// A value without threads or clock: whoever holds it locks it.
struct FairTurns<Owner: Hashable & Sendable, Element> {
    private static var none: Int { -1 }

    /// What an element is found by while it waits.
    ///
    /// It names no other element afterwards, whoever has the slot then.
    struct Ticket: Sendable {
        fileprivate let slot: Int
        fileprivate let number: UInt64
    }

    /// An element that waits, or a free slot.
    private struct Slot {
        var element: Element?
        var cost = 0
        /// Counts the elements; 0 for a free slot.
        var number: UInt64 = 0
        var line = FairTurns.none
        /// The slots before and behind it in its line; of a free one, the next free one.
        var previous = FairTurns.none
        var next = FairTurns.none
    }

    /// What waits of one owner, or a free line.
    private struct Line {
        var owner: Owner
        var first = FairTurns.none
        var last = FairTurns.none
        var cost = 0
        /// What may still be taken before the turn is another's.
        var credit: Int
        /// The lines whose turns come before and after; of a free one, the next free one.
        var previous = FairTurns.none
        var next = FairTurns.none
    }

    /// What all lines together may cost.
    private let capacity: Int
    /// What one turn is worth.
    private let turn: Int
    private var slots: [Slot] = []
    private var freeSlot = FairTurns.none
    private var lines: [Line] = []
    private var freeLine = FairTurns.none
    private var numbers: [Owner: Int] = [:]
    /// The line whose turn it is, and the one that comes after all others.
    private var head = FairTurns.none
    private var tail = FairTurns.none
    /// Elements that have ever waited.
    private var count: UInt64 = 0

    /// What all that waits costs.
    private(set) var cost = 0

    init(capacity: Int, turn: Int) {
        precondition(turn > 0)
        self.capacity = capacity
        self.turn = turn
    }

    var isEmpty: Bool { head == Self.none }
    /// How many owners have something that waits.
    var owners: Int { numbers.count }
    /// For how many elements there is memory now.
    var heldPlaces: Int { slots.count }

    /// Whether one element more of `owner` may wait.
    ///
    /// An owner may have as much waiting as is left free for all others: alone it takes half of the
    /// room, two take a third each, and there is always some for one that has nothing waiting. The
    /// last element may go beyond that by its own cost.
    func hasRoom(for owner: Owner) -> Bool {
        cost(of: owner) < capacity - cost
    }

    private func cost(of owner: Owner) -> Int {
        numbers[owner].map { lines[$0].cost } ?? 0
    }

    // MARK: In

    /// Puts `element` at the end of its owner's line; the caller has asked whether there is room.
    @discardableResult
    mutating func append(_ element: Element, of owner: Owner, cost: Int) -> Ticket {
        let line = numbers[owner] ?? open(owner, credit: turn, first: false)
        let slot = keep(element, cost, in: line)
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

    /// Puts what was taken back before all else of its owner, which gets back what it paid.
    ///
    /// Several go back in the opposite order of that in which they were taken.
    mutating func putBack(_ element: Element, of owner: Owner, cost: Int) {
        let line = numbers[owner] ?? open(owner, credit: 0, first: true)
        let slot = keep(element, cost, in: line)
        let first = lines[line].first
        slots[slot].next = first
        if first == Self.none {
            lines[line].last = slot
        } else {
            slots[first].previous = slot
        }
        lines[line].first = slot
        // While it was alone it paid nothing, and gets no more back than a turn is worth.
        lines[line].credit = min(lines[line].credit + cost, max(turn, cost))
    }

    private mutating func keep(_ element: Element, _ cost: Int, in line: Int) -> Int {
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
    /// - Parameter isStale: Says of an element whose turn has come whether it is not wanted any
    ///   more; such elements leave, and their owners pay nothing for them.
    mutating func take(
        atMost room: Int = .max, unless isStale: (Element) -> Bool = { _ in false }
    ) -> Element? {
        while head != Self.none {
            let slot = lines[head].first
            let cost = slots[slot].cost
            guard let element = slots[slot].element else {
                preconditionFailure("a line with a free slot in it")
            }
            if isStale(element) {
                leave(slot)
            } else if lines[head].credit < cost, head != tail {
                passTurn()
            } else if cost > room {
                return nil
            } else {
                // One that is alone may take more than it has credit for: nobody waits.
                lines[head].credit = max(0, lines[head].credit - cost)
                leave(slot)
                return element
            }
        }
        return nil
    }

    /// Takes out an element that is not wanted any more, wherever it waits, at a cost that does not
    /// grow with what waits.
    ///
    /// - Returns: Nil if it does not wait.
    mutating func remove(_ ticket: Ticket) -> Element? {
        guard slots.indices.contains(ticket.slot), slots[ticket.slot].number == ticket.number
        else { return nil }
        let element = slots[ticket.slot].element
        leave(ticket.slot)
        return element
    }

    /// The element at `slot` leaves, and its line if that is empty then.
    private mutating func leave(_ slot: Int) {
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

    /// An owner has nothing that waits any more.
    private mutating func close(_ line: Int) {
        unlink(line)
        numbers[lines[line].owner] = nil
        lines[line].next = freeLine
        freeLine = line
        if isEmpty { giveBack() }
    }

    /// Takes a line out of those that take turns.
    private mutating func unlink(_ line: Int) {
        let (previous, next) = (lines[line].previous, lines[line].next)
        if previous == Self.none { head = next } else { lines[previous].next = next }
        if next == Self.none { tail = previous } else { lines[next].previous = previous }
        lines[line].previous = Self.none
        lines[line].next = Self.none
    }

    /// The line whose turn it is has had it, and is the last now; it is not the only one.
    private mutating func passTurn() {
        let line = head
        lines[line].credit += turn
        unlink(line)
        lines[line].previous = tail
        lines[tail].next = line
        tail = line
    }

    /// Keeps memory for few when nothing waits.
    private mutating func giveBack() {
        guard max(slots.count, lines.count) > RuntimeLimits.keptSlots else { return }
        (slots, freeSlot) = ([], Self.none)
        (lines, freeLine) = ([], Self.none)
        numbers = [:]
    }

    // MARK: How long

    /// What will be taken before an element that costs `cost` and would come now, of `owner`, as
    /// far as nothing more comes.
    ///
    /// Exact up to the cost of single elements, and for that many lines as one may look at; beyond,
    /// it is the most that it can be.
    func costAhead(of owner: Owner, cost: Int) -> Int {
        let own = numbers[owner]
        let before = own.map { lines[$0].cost } ?? 0
        let credit = own.map { lines[$0].credit } ?? turn
        // Turns that it needs beside the one that it has credit for.
        let turns = (max(0, before + cost - credit) + turn - 1) / turn
        var ahead = before
        var looked = before
        var line = head
        var hasPassed = false
        for _ in 0..<min(owners, RuntimeLimits.countedOwners) {
            if line == own {
                hasPassed = true
            } else {
                // Those behind it have one turn less before its last one.
                let visits = hasPassed ? turns : turns + 1
                let most = lines[line].credit + (visits - 1) * turn
                if visits > 0 { ahead += min(lines[line].cost, most) }
                looked += lines[line].cost
            }
            line = lines[line].next
        }
        guard owners > RuntimeLimits.countedOwners else { return ahead }
        let most = (owners - RuntimeLimits.countedOwners) * (turns + 1) * turn
        return ahead + min(self.cost - looked, most)
    }
}
