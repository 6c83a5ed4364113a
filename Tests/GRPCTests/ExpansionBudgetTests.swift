import NIOCore
import Testing

@testable import GRPC
@testable import GRPCWire

/// How many bytes a loop expands in a second, and how addresses share them.
struct ExpansionBudgetTests {
    private static let limit = CallLimits.expandedBytesPerSecond
    private let start = NIODeadline.uptimeNanoseconds(1)

    private func address(_ number: Int) throws -> AddressBlock? {
        AddressBlock(try SocketAddress(ipAddress: "10.0.\(number / 256).\(number % 256)", port: 1))
    }

    /// Takes as many bytes as `address` may have, and returns their number.
    private func consume(
        _ budget: inout ExpansionBudget, _ address: AddressBlock?, _ now: NIODeadline,
        bytes: Int = 1_024
    ) -> Int {
        var sum = 0
        while budget.allows(address, isUnauthenticated: false, at: now) {
            budget.count(bytes, from: address, isUnauthenticated: false)
            sum += bytes
        }
        return sum
    }

    @Test func oneAddressLeavesHalfToOthers() throws {
        var budget = ExpansionBudget(now: start)
        #expect(consume(&budget, try address(1), start) == Self.limit / 2)
        // The next second is like the first.
        let later = start + .seconds(1)
        #expect(consume(&budget, try address(1), later - .nanoseconds(1)) == 0)
        #expect(consume(&budget, try address(1), later) == Self.limit / 2)
    }

    @Test func whoHasUsedNothingFindsSomethingHoweverManyCameBefore() throws {
        var budget = ExpansionBudget(now: start)
        for number in 0..<10 { _ = consume(&budget, try address(number), start) }
        let findsSome = budget.allows(try address(10), isUnauthenticated: false, at: start)
        #expect(findsSome)
        #expect(budget.used.callers <= Self.limit)
    }

    @Test func addressesThatStayHaveEqualParts() throws {
        var budget = ExpansionBudget(now: start)
        for number in 0..<4 { _ = consume(&budget, try address(number), start) }
        let later = start + .seconds(1)
        let parts = try (0..<4).map { consume(&budget, try address($0), later) }
        // A fifth is left for a new address.
        for part in parts { #expect(abs(part - Self.limit / 5) <= 2_048) }
        #expect(consume(&budget, try address(4), later) > 0)
    }

    @Test func noSecondHasMoreThanTheLimitAndOneMessage() throws {
        var budget = ExpansionBudget(now: start)
        for second in 0..<3 {
            for number in 0..<300 {
                let now = start + .seconds(Int64(second))
                _ = consume(&budget, try address(number), now, bytes: CallLimits.messageBytes)
            }
            #expect(budget.used.callers <= Self.limit + CallLimits.messageBytes)
        }
    }

    @Test func unauthenticatedAndKnownCallersTakeNothingFromEachOther() throws {
        var budget = ExpansionBudget(now: start)
        let one = try address(1)
        while budget.allows(one, isUnauthenticated: true, at: start) {
            budget.count(0, from: one, isUnauthenticated: true)
        }
        // Even a message that expands to nothing counts.
        #expect(budget.used.unauthenticated == CallLimits.unauthenticatedBytesPerSecond / 2)
        #expect(consume(&budget, one, start) == Self.limit / 2)
    }
}
