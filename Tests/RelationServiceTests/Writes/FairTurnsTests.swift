import StorageSuite
import Testing

@testable import RelationCalls
@testable import RelationRuntime
@testable import RelationService

/// The order of turns, moved by hand: no thread and no clock.
@Suite struct FairTurnsTests {
    private typealias Turns = FairTurns<String, String>

    /// All elements in the order in which they are taken.
    private func all(_ turns: inout Turns) -> [String] {
        var taken: [String] = []
        while let next = turns.take() { taken.append(next) }
        return taken
    }

    @Test func ownersTakeTurnsAndEachKeepsItsOrder() {
        var turns = Turns(capacity: 100, turn: 2)
        for number in 1...5 { turns.append("a\(number)", of: "a", cost: 1) }
        for number in 1...3 { turns.append("b\(number)", of: "b", cost: 1) }
        turns.append("c1", of: "c", cost: 1)
        #expect(turns.cost == 9 && turns.owners == 3)
        #expect(all(&turns) == ["a1", "a2", "b1", "b2", "c1", "a3", "a4", "b3", "a5"])
        #expect(turns.isEmpty && turns.cost == 0 && turns.owners == 0)
    }

    @Test func aNewcomerWaitsForOneTurnOfEachOtherHoweverMuchTheyHave() {
        var turns = Turns(capacity: 10_000, turn: 3)
        for owner in ["a", "b"] {
            for _ in 0..<1_000 { turns.append(owner, of: owner, cost: 1) }
        }
        // This is in the middle of a turn.
        #expect(turns.take() == "a")
        turns.append("new", of: "c", cost: 1)
        #expect(turns.costAhead(of: "d", cost: 1) == 6)
        let taken = (0..<6).compactMap { _ in turns.take() }
        #expect(taken == ["a", "a", "b", "b", "b", "new"])
    }

    @Test func dearElementsCostTheirOwnerItsTurns() {
        var turns = Turns(capacity: 100, turn: 2)
        for number in 1...2 { turns.append("dear\(number)", of: "a", cost: 6) }
        for number in 1...10 { turns.append("b\(number)", of: "b", cost: 1) }
        #expect(
            all(&turns) == [
                "b1", "b2", "b3", "b4", "dear1", "b5", "b6", "b7", "b8", "b9", "b10", "dear2",
            ])
    }

    @Test func anElementThatDoesNotFitKeepsItsTurnAndHoldsUpTheOthers() {
        var turns = Turns(capacity: 100, turn: 1)
        for name in ["a", "b", "c"] { turns.append(name, of: name, cost: 1) }
        #expect(turns.take(if: { $0 != "b" }) == "a")
        #expect(turns.take(if: { $0 != "b" }) == nil)
        #expect(all(&turns) == ["b", "c"])
    }

    @Test func anOwnerThatIsAlonePaysNothing() {
        var turns = Turns(capacity: 100, turn: 1)
        for number in 1...4 { turns.append("a\(number)", of: "a", cost: 9) }
        #expect(turns.take() == "a1" && turns.take() == "a2")
        turns.append("b", of: "b", cost: 1)
        #expect(all(&turns) == ["b", "a3", "a4"])
    }

    @Test func whatDoesNotFitKeepsItsTurn() {
        var turns = Turns(capacity: 100, turn: 5)
        turns.append("a", of: "a", cost: 5)
        turns.append("b", of: "b", cost: 1)
        #expect(turns.take(atMost: 4) == nil)
        #expect(turns.take(atMost: 5) == "a")
        #expect(turns.take(atMost: 0) == nil)
        #expect(turns.take(atMost: 1) == "b")
    }

    @Test func whatIsPutBackComesFirstOfItsOwnerAndCostsItNothing() {
        var turns = Turns(capacity: 100, turn: 4)
        for number in 1...6 { turns.append("a\(number)", of: "a", cost: 1) }
        #expect(turns.take() == "a1" && turns.take() == "a2" && turns.take() == "a3")
        turns.append("b1", of: "b", cost: 1)
        turns.putBack("a3", of: "a", cost: 1)
        turns.putBack("a2", of: "a", cost: 1)
        #expect(turns.cost == 6)
        #expect(all(&turns) == ["a2", "a3", "a4", "b1", "a5", "a6"])
        // This holds also for an owner that has no element left.
        turns.append("a", of: "a", cost: 1)
        #expect(turns.take() == "a")
        turns.append("b", of: "b", cost: 1)
        turns.putBack("a", of: "a", cost: 1)
        #expect(all(&turns) == ["a", "b"])
    }

    @Test func whatIsStaleLeavesAndCostsItsOwnerNothing() {
        var turns = Turns(capacity: 100, turn: 1)
        for number in 1...4 { turns.append("a\(number)", of: "a", cost: 1) }
        turns.append("b1", of: "b", cost: 1)
        let stale: (String) -> Bool = { ["a1", "a2", "b1"].contains($0) }
        #expect(turns.take(unless: stale) == "a3")
        #expect(turns.take(unless: stale) == "a4")
        #expect(turns.take(unless: stale) == nil)
        #expect(turns.isEmpty && turns.cost == 0)
    }

    @Test func whatIsTakenOutLeavesWhereverItWaitsAndCostsItsOwnerNothing() {
        var turns = Turns(capacity: 100, turn: 1)
        let ofA = (1...4).map { turns.append("a\($0)", of: "a", cost: 2) }
        let ofB = (1...2).map { turns.append("b\($0)", of: "b", cost: 2) }
        turns.append("c1", of: "c", cost: 2)
        // The first of a line, one in the middle, the last, and a whole line.
        for ticket in [ofA[0], ofA[2], ofA[3], ofB[0], ofB[1]] {
            #expect(turns.remove(ticket) != nil)
            #expect(turns.remove(ticket) == nil, "it is gone")
        }
        #expect(turns.cost == 4 && turns.owners == 2)
        #expect(all(&turns) == ["a2", "c1"])
        // Another element has its slot now.
        turns.append("d", of: "d", cost: 1)
        #expect((ofA + ofB).allSatisfy { turns.remove($0) == nil })
        #expect(all(&turns) == ["d"])
    }

    @Test(arguments: 0..<20)
    func takingOutLeavesEverybodyElseTheirOrder(seed: UInt64) {
        var numbers = SeededNumbers(seed: seed)
        var turns = FairTurns<Int, Int>(capacity: .max, turn: 1 + Int(seed % 3))
        var waiting: [Int: FairTurns<Int, Int>.Ticket] = [:]
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
                let taken = turns.take()
                if let taken { check(taken) }
                #expect((taken == nil) == waiting.isEmpty)
                if let taken { waiting[taken] = nil }
            case 1:
                guard let victim = waiting.keys.sorted().randomElement(using: &numbers) else {
                    break
                }
                #expect(turns.remove(waiting[victim]!) == victim)
                waiting[victim] = nil
            default:
                waiting[element] = turns.append(element, of: element % 5, cost: 1)
            }
            #expect(turns.cost == waiting.count)
            #expect(turns.owners == Set(waiting.keys.map { $0 % 5 }).count)
        }
        while let taken = turns.take() {
            check(taken)
            #expect(waiting.removeValue(forKey: taken) != nil)
        }
        #expect(waiting.isEmpty && turns.isEmpty && turns.owners == 0)
    }

    @Test func anOwnerMayHaveAsMuchWaitingAsIsLeftForOthers() {
        var turns = Turns(capacity: 12, turn: 1)
        func fill(_ owner: String) -> Int {
            var count = 0
            while turns.hasRoom(for: owner) {
                turns.append(owner, of: owner, cost: 1)
                count += 1
            }
            return count
        }
        #expect([fill("a"), fill("b"), fill("c"), fill("d")] == [6, 3, 2, 1])
        #expect(!turns.hasRoom(for: "e"))
        _ = turns.take()
        #expect(turns.hasRoom(for: "e"))
    }

    @Test func allElementsOfAnOwnerLeaveInTheirOrder() {
        var turns = Turns(capacity: 100, turn: 4)
        for element in ["a1", "b1", "a2", "c1", "a3"] {
            turns.append(element, of: String(element.prefix(1)), cost: 2)
        }
        #expect(turns.takeAll(of: "none") == [])
        #expect(turns.takeAll(of: "a") == ["a1", "a2", "a3"])
        #expect(turns.cost == 4 && turns.owners == 2)
        #expect(turns.takeAll() == ["b1", "c1"])
        #expect(turns.isEmpty && turns.cost == 0)
    }

    @Test func whatWaitsElsewhereTakesOfTheRoom() {
        var turns = Turns(capacity: 10, turn: 4)
        #expect(turns.hasRoom(for: "a", beside: 9) && !turns.hasRoom(for: "a", beside: 10))
        turns.append("a1", of: "a", cost: 3)
        #expect(turns.hasRoom(for: "a", beside: 3) && !turns.hasRoom(for: "a", beside: 4))
        #expect(turns.hasRoom(for: "b", beside: 4))
    }

    @Test func anEmptyQueueGivesItsMemoryBack() {
        var turns = FairTurns<Int, Int>(capacity: 10_000, turn: 1)
        for number in 0..<5_000 { turns.append(number, of: number % 500, cost: 1) }
        #expect(turns.heldSlots == 5_000)
        while turns.take() != nil {}
        #expect(turns.heldSlots == 0)
        for _ in 0..<3 {
            for number in 0..<RuntimeLimits.keptSlots { turns.append(number, of: 1, cost: 1) }
            while turns.take() != nil {}
            // The memory for a few elements is kept.
            #expect(turns.heldSlots == RuntimeLimits.keptSlots)
        }
    }

    @Test(arguments: 0..<40)
    func whatIsAheadIsWhatIsTakenBefore(seed: UInt64) {
        var numbers = SeededNumbers(seed: seed)
        var turns = FairTurns<Int, Int>(capacity: .max, turn: 1 + Int(seed % 4))
        for _ in 0..<Int.random(in: 1...300, using: &numbers) {
            if Int.random(in: 0..<4, using: &numbers) == 0 {
                _ = turns.take()
            } else {
                // Some owners have many elements and some have few.
                let most = Int.random(in: 0...6, using: &numbers)
                let owner = Int.random(in: 0...most, using: &numbers)
                turns.append(0, of: owner, cost: 1)
            }
        }
        for owner in 0...7 {
            var copy = turns
            let ahead = copy.costAhead(of: owner, cost: 1)
            copy.append(1, of: owner, cost: 1)
            var taken = 0
            while let element = copy.take(), element == 0 { taken += 1 }
            #expect(ahead == taken, "owner \(owner)")
        }
    }

    @Test func ofVeryManyOwnersTheMostThatCanBeAheadIsTold() {
        var turns = FairTurns<Int, Int>(capacity: .max, turn: 4)
        let owners = RuntimeLimits.countedOwners + 10
        for owner in 0..<owners {
            for _ in 0..<3 { turns.append(owner, of: owner, cost: 1) }
        }
        #expect(turns.costAhead(of: -1, cost: 1) == owners * 3)
        #expect(turns.costAhead(of: owners - 1, cost: 1) == owners * 3)
        for _ in 0..<100 { turns.append(-2, of: -2, cost: 1) }
        // Each of the last owners has a turn, and the long line is one of them.
        #expect(turns.costAhead(of: -1, cost: 1) <= owners * 3 + 100)
        #expect(turns.costAhead(of: -1, cost: 1) >= owners * 3 + 4)
    }
}
