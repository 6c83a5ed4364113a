import Testing

@testable import GRPC
@testable import GRPCWire

/// When freed memory is given back to the system.
struct MemoryReturnTests {
    private static let unit = CallLimits.givenBackBytes

    @Test func itGoesBackWhenHalfOfTheMostIsGone() {
        let budget = MemoryBudget(limit: 100 * Self.unit)
        budget.add(10 * Self.unit)
        #expect(!budget.release())
        budget.add(-4 * Self.unit)
        #expect(!budget.release())
        budget.add(-Self.unit)
        #expect(budget.release())
        // This happens once: the next burst is compared with the memory that is held now.
        #expect(!budget.release())
        budget.add(-5 * Self.unit)
        #expect(budget.release())
        budget.add(Self.unit / 2)
        budget.add(-Self.unit / 2)
        #expect(!budget.release())
    }

    @Test func aBurstBetweenTwoLooksIsSeen() {
        let budget = MemoryBudget(limit: 100 * Self.unit)
        budget.add(2 * Self.unit)
        budget.add(-2 * Self.unit)
        #expect(budget.release())
    }
}
