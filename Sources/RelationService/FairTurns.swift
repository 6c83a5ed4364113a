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

    /// An element that waits, or a free place.
    private struct Place {
        var element: Element?
        var cost = 0
        /// The place behind it in its line, or the next free one.
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
        /// The line whose turn comes after, or the next free one.
        var next = FairTurns.none
    }

    /// What all lines together may cost.
    private let capacity: Int
    /// What one turn is worth.
    private let turn: Int
    private var places: [Place] = []
    private var freePlace = FairTurns.none
    private var lines: [Line] = []
    private var freeLine = FairTurns.none
    private var numbers: [Owner: Int] = [:]
    /// The line whose turn it is, and the one that comes after all others.
    private var head = FairTurns.none
    private var tail = FairTurns.none

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
    var heldPlaces: Int { places.count }

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
    mutating func append(_ element: Element, of owner: Owner, cost: Int) {
        let place = keep(element, cost)
        let line = numbers[owner] ?? open(owner, credit: turn, first: false)
        if lines[line].last == Self.none {
            lines[line].first = place
        } else {
            places[lines[line].last].next = place
        }
        lines[line].last = place
        lines[line].cost += cost
        self.cost += cost
    }

    /// Puts what was taken back before all else of its owner, which gets back what it paid.
    ///
    /// Several go back in the opposite order of that in which they were taken.
    mutating func putBack(_ element: Element, of owner: Owner, cost: Int) {
        let place = keep(element, cost)
        let line = numbers[owner] ?? open(owner, credit: 0, first: true)
        places[place].next = lines[line].first
        lines[line].first = place
        if lines[line].last == Self.none { lines[line].last = place }
        lines[line].cost += cost
        // While it was alone it paid nothing, and gets no more back than a turn is worth.
        lines[line].credit = min(lines[line].credit + cost, max(turn, cost))
        self.cost += cost
    }

    private mutating func keep(_ element: Element, _ cost: Int) -> Int {
        guard freePlace != Self.none else {
            places.append(Place(element: element, cost: cost))
            return places.count - 1
        }
        let place = freePlace
        freePlace = places[place].next
        places[place] = Place(element: element, cost: cost)
        return place
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
            head = line
        } else {
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
            let place = lines[head].first
            let cost = places[place].cost
            guard let element = places[place].element else {
                preconditionFailure("a line with a free place in it")
            }
            if isStale(element) {
                leave(place, cost)
            } else if lines[head].credit < cost, head != tail {
                passTurn()
            } else if cost > room {
                return nil
            } else {
                // One that is alone may take more than it has credit for: nobody waits.
                lines[head].credit = max(0, lines[head].credit - cost)
                leave(place, cost)
                return element
            }
        }
        return nil
    }

    /// The first of the line whose turn it is leaves.
    private mutating func leave(_ place: Int, _ cost: Int) {
        let line = head
        self.cost -= cost
        lines[line].cost -= cost
        lines[line].first = places[place].next
        places[place] = Place(element: nil, next: freePlace)
        freePlace = place
        guard lines[line].first == Self.none else { return }
        head = lines[line].next
        if head == Self.none { tail = Self.none }
        numbers[lines[line].owner] = nil
        lines[line].next = freeLine
        freeLine = line
        if isEmpty { giveBack() }
    }

    private mutating func passTurn() {
        let line = head
        lines[line].credit += turn
        head = lines[line].next
        lines[line].next = Self.none
        lines[tail].next = line
        tail = line
    }

    /// Keeps memory for few when nothing waits.
    private mutating func giveBack() {
        guard max(places.count, lines.count) > ServiceLimits.keptPlaces else { return }
        (places, freePlace) = ([], Self.none)
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
        for _ in 0..<min(owners, ServiceLimits.countedOwners) {
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
        guard owners > ServiceLimits.countedOwners else { return ahead }
        let most = (owners - ServiceLimits.countedOwners) * (turns + 1) * turn
        return ahead + min(self.cost - looked, most)
    }
}
