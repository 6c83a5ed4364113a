import StorageSuite
import Testing

@testable import RelationCalls
@testable import RelationRuntime
@testable import RelationService

/// The order of the queue, moved by hand: no thread and no clock.
@Suite struct FairQueueTests {
    private typealias Queue = FairQueue<String, String>

    /// All elements in the order in which they are taken.
    private func all(_ queue: inout Queue) -> [String] {
        var taken: [String] = []
        while let next = queue.dequeue() { taken.append(next) }
        return taken
    }

    @Test func ownersTakeTurnsAndEachKeepsItsOrder() {
        var queue = Queue(capacity: 100, quantum: 2)
        for number in 1...5 { queue.append("a\(number)", of: "a", cost: 1) }
        for number in 1...3 { queue.append("b\(number)", of: "b", cost: 1) }
        queue.append("c1", of: "c", cost: 1)
        #expect(queue.cost == 9 && queue.owners == 3)
        #expect(all(&queue) == ["a1", "a2", "b1", "b2", "c1", "a3", "a4", "b3", "a5"])
        #expect(queue.isEmpty && queue.cost == 0 && queue.owners == 0)
    }

    @Test func aNewcomerWaitsForOneQuantumOfEachOtherHoweverMuchTheyHave() {
        var queue = Queue(capacity: 10_000, quantum: 3)
        for owner in ["a", "b"] {
            for _ in 0..<1_000 { queue.append(owner, of: owner, cost: 1) }
        }
        // This is in the middle of a quantum.
        #expect(queue.dequeue() == "a")
        queue.append("new", of: "c", cost: 1)
        #expect(queue.costAhead(of: "d", cost: 1) == 6)
        let taken = (0..<6).compactMap { _ in queue.dequeue() }
        #expect(taken == ["a", "a", "b", "b", "b", "new"])
    }

    @Test func dearElementsCostTheirOwnerItsQuanta() {
        var queue = Queue(capacity: 100, quantum: 2)
        for number in 1...2 { queue.append("dear\(number)", of: "a", cost: 6) }
        for number in 1...10 { queue.append("b\(number)", of: "b", cost: 1) }
        #expect(
            all(&queue) == [
                "b1", "b2", "b3", "b4", "dear1", "b5", "b6", "b7", "b8", "b9", "b10", "dear2",
            ])
    }

    @Test func anElementThatDoesNotFitKeepsItsTurnAndHoldsUpTheOthers() {
        var queue = Queue(capacity: 100, quantum: 1)
        for name in ["a", "b", "c"] { queue.append(name, of: name, cost: 1) }
        #expect(queue.dequeue(if: { $0 != "b" }) == "a")
        #expect(queue.dequeue(if: { $0 != "b" }) == nil)
        #expect(all(&queue) == ["b", "c"])
    }

    @Test func anOwnerThatIsAlonePaysNothing() {
        var queue = Queue(capacity: 100, quantum: 1)
        for number in 1...4 { queue.append("a\(number)", of: "a", cost: 9) }
        #expect(queue.dequeue() == "a1" && queue.dequeue() == "a2")
        queue.append("b", of: "b", cost: 1)
        #expect(all(&queue) == ["b", "a3", "a4"])
    }

    @Test func whatDoesNotFitKeepsItsTurn() {
        var queue = Queue(capacity: 100, quantum: 5)
        queue.append("a", of: "a", cost: 5)
        queue.append("b", of: "b", cost: 1)
        #expect(queue.dequeue(atMost: 4) == nil)
        #expect(queue.dequeue(atMost: 5) == "a")
        #expect(queue.dequeue(atMost: 0) == nil)
        #expect(queue.dequeue(atMost: 1) == "b")
    }

    @Test func whatIsRequeuedComesFirstOfItsOwnerAndCostsItNothing() {
        var queue = Queue(capacity: 100, quantum: 4)
        for number in 1...6 { queue.append("a\(number)", of: "a", cost: 1) }
        #expect(queue.dequeue() == "a1" && queue.dequeue() == "a2" && queue.dequeue() == "a3")
        queue.append("b1", of: "b", cost: 1)
        queue.requeue("a3", of: "a", cost: 1)
        queue.requeue("a2", of: "a", cost: 1)
        #expect(queue.cost == 6)
        #expect(all(&queue) == ["a2", "a3", "a4", "b1", "a5", "a6"])
        // This holds also for an owner that has no element left.
        queue.append("a", of: "a", cost: 1)
        #expect(queue.dequeue() == "a")
        queue.append("b", of: "b", cost: 1)
        queue.requeue("a", of: "a", cost: 1)
        #expect(all(&queue) == ["a", "b"])
    }

    @Test func whatIsStaleLeavesAndCostsItsOwnerNothing() {
        var queue = Queue(capacity: 100, quantum: 1)
        for number in 1...4 { queue.append("a\(number)", of: "a", cost: 1) }
        queue.append("b1", of: "b", cost: 1)
        let stale: (String) -> Bool = { ["a1", "a2", "b1"].contains($0) }
        #expect(queue.dequeue(unless: stale) == "a3")
        #expect(queue.dequeue(unless: stale) == "a4")
        #expect(queue.dequeue(unless: stale) == nil)
        #expect(queue.isEmpty && queue.cost == 0)
    }

    @Test func whatIsTakenOutLeavesWhereverItWaitsAndCostsItsOwnerNothing() {
        var queue = Queue(capacity: 100, quantum: 1)
        let ofA = (1...4).map { queue.append("a\($0)", of: "a", cost: 2) }
        let ofB = (1...2).map { queue.append("b\($0)", of: "b", cost: 2) }
        queue.append("c1", of: "c", cost: 2)
        // The first of a line, one in the middle, the last, and a whole line.
        for ticket in [ofA[0], ofA[2], ofA[3], ofB[0], ofB[1]] {
            #expect(queue.remove(ticket) != nil)
            #expect(queue.remove(ticket) == nil, "it is gone")
        }
        #expect(queue.cost == 4 && queue.owners == 2)
        #expect(all(&queue) == ["a2", "c1"])
        // Another element has its slot now.
        queue.append("d", of: "d", cost: 1)
        #expect((ofA + ofB).allSatisfy { queue.remove($0) == nil })
        #expect(all(&queue) == ["d"])
    }

    @Test(arguments: 0..<20)
    func takingOutLeavesEverybodyElseTheirOrder(seed: UInt64) {
        var numbers = SeededNumbers(seed: seed)
        var queue = FairQueue<Int, Int>(capacity: .max, quantum: 1 + Int(seed % 3))
        var waiting: [Int: FairQueue<Int, Int>.Ticket] = [:]
        var last: [Int: Int] = [:]
        func check(_ element: Int) {
            #expect(
                last[element % 5, default: -1] < element,
                "the elements of each owner keep their order")
            last[element % 5] = element
        }
        for element in 0..<600 {
            switch Int.random(in: 0..<5, using: &numbers) {
            case 0:
                let taken = queue.dequeue()
                if let taken { check(taken) }
                #expect((taken == nil) == waiting.isEmpty)
                if let taken { waiting[taken] = nil }
            case 1:
                guard let victim = waiting.keys.sorted().randomElement(using: &numbers) else {
                    break
                }
                #expect(queue.remove(waiting[victim]!) == victim)
                waiting[victim] = nil
            default:
                waiting[element] = queue.append(element, of: element % 5, cost: 1)
            }
            #expect(queue.cost == waiting.count)
            #expect(queue.owners == Set(waiting.keys.map { $0 % 5 }).count)
        }
        while let taken = queue.dequeue() {
            check(taken)
            #expect(waiting.removeValue(forKey: taken) != nil)
        }
        #expect(waiting.isEmpty && queue.isEmpty && queue.owners == 0)
    }

    @Test func anOwnerMayHaveAsMuchWaitingAsIsLeftForOthers() {
        var queue = Queue(capacity: 12, quantum: 1)
        func fill(_ owner: String) -> Int {
            var count = 0
            while queue.hasRoom(for: owner) {
                queue.append(owner, of: owner, cost: 1)
                count += 1
            }
            return count
        }
        #expect([fill("a"), fill("b"), fill("c"), fill("d")] == [6, 3, 2, 1])
        #expect(!queue.hasRoom(for: "e"))
        _ = queue.dequeue()
        #expect(queue.hasRoom(for: "e"))
    }

    @Test func allElementsOfAnOwnerLeaveInTheirOrder() {
        var queue = Queue(capacity: 100, quantum: 4)
        for element in ["a1", "b1", "a2", "c1", "a3"] {
            queue.append(element, of: String(element.prefix(1)), cost: 2)
        }
        #expect(queue.dequeueAll(of: "none") == [])
        #expect(queue.dequeueAll(of: "a") == ["a1", "a2", "a3"])
        #expect(queue.cost == 4 && queue.owners == 2)
        #expect(queue.dequeueAll() == ["b1", "c1"])
        #expect(queue.isEmpty && queue.cost == 0)
    }

    @Test func whatWaitsElsewhereTakesOfTheRoom() {
        var queue = Queue(capacity: 10, quantum: 4)
        #expect(queue.hasRoom(for: "a", beside: 9) && !queue.hasRoom(for: "a", beside: 10))
        queue.append("a1", of: "a", cost: 3)
        #expect(queue.hasRoom(for: "a", beside: 3) && !queue.hasRoom(for: "a", beside: 4))
        #expect(queue.hasRoom(for: "b", beside: 4))
    }

    @Test func anEmptyQueueGivesItsMemoryBack() {
        var queue = FairQueue<Int, Int>(capacity: 10_000, quantum: 1)
        for number in 0..<5_000 { queue.append(number, of: number % 500, cost: 1) }
        #expect(queue.heldSlots == 5_000)
        while queue.dequeue() != nil {}
        #expect(queue.heldSlots == 0)
        for _ in 0..<3 {
            for number in 0..<RuntimeLimits.keptSlots { queue.append(number, of: 1, cost: 1) }
            while queue.dequeue() != nil {}
            // The memory for a few elements is kept.
            #expect(queue.heldSlots == RuntimeLimits.keptSlots)
        }
    }

    @Test(arguments: 0..<40)
    func whatIsAheadIsWhatIsTakenBefore(seed: UInt64) {
        var numbers = SeededNumbers(seed: seed)
        var queue = FairQueue<Int, Int>(capacity: .max, quantum: 1 + Int(seed % 4))
        for _ in 0..<Int.random(in: 1...300, using: &numbers) {
            if Int.random(in: 0..<4, using: &numbers) == 0 {
                _ = queue.dequeue()
            } else {
                // Some owners have many elements and some have few.
                let most = Int.random(in: 0...6, using: &numbers)
                let owner = Int.random(in: 0...most, using: &numbers)
                queue.append(0, of: owner, cost: 1)
            }
        }
        for owner in 0...7 {
            var copy = queue
            let ahead = copy.costAhead(of: owner, cost: 1)
            copy.append(1, of: owner, cost: 1)
            var taken = 0
            while let element = copy.dequeue(), element == 0 { taken += 1 }
            #expect(ahead == taken, "owner \(owner)")
        }
    }

    @Test func ofVeryManyOwnersTheMostThatCanBeAheadIsReported() {
        var queue = FairQueue<Int, Int>(capacity: .max, quantum: 4)
        let owners = RuntimeLimits.countedOwners + 10
        for owner in 0..<owners {
            for _ in 0..<3 { queue.append(owner, of: owner, cost: 1) }
        }
        #expect(queue.costAhead(of: -1, cost: 1) == owners * 3)
        #expect(queue.costAhead(of: owners - 1, cost: 1) == owners * 3)
        for _ in 0..<100 { queue.append(-2, of: -2, cost: 1) }
        // Each of the last owners has a turn, and the long line is one of them.
        #expect(queue.costAhead(of: -1, cost: 1) <= owners * 3 + 100)
        #expect(queue.costAhead(of: -1, cost: 1) >= owners * 3 + 4)
    }
}
