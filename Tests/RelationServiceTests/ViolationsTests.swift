import RPC
import RelationModel
import Testing

@testable import RelationCalls

/// The bad fields of a request, as one error.
@Suite struct ViolationsTests {
    @Test func noneIsNone() {
        let violations = Violations()
        #expect(violations.isEmpty && violations.first == nil)
    }

    @Test func allFieldsAreReportedAndTheFirstOneGivesTheReason() {
        var violations = Violations()
        violations.count(7, "items", 1...5)
        violations.add("user_id", "is empty")
        #expect(!violations.isEmpty)
        #expect(violations.first?.field == "items")
        let error = violations.error
        #expect(error.code == .invalidArgument)
        #expect(error.reason == UInt16(ErrorReason.tooManyItems.rawValue))
        #expect(error.message == "items: has 7 items; 1 to 5 may be sent; user_id: is empty")
    }

    @Test func aRefusalReplacesTheFields() {
        var violations = Violations()
        violations.add("user_id", "is empty")
        violations.refuse(RPCError(.permissionDenied, "first"))
        violations.refuse(RPCError(.notFound, "second"))
        #expect(violations.error.code == .permissionDenied)
        #expect(violations.error.message == "first")
        #expect(violations.first?.field == "user_id")
        var refused = Violations()
        refused.refuse(RPCError(.notFound, "alone"))
        #expect(!refused.isEmpty && refused.first == nil && refused.error.message == "alone")
    }

    @Test func furtherFieldsThanTheLimitAreLeftOut() {
        var violations = Violations()
        for number in 0...AnswerLimits.violations { violations.add("f\(number)", "is bad") }
        let (last, next) = (AnswerLimits.violations - 1, AnswerLimits.violations)
        #expect(violations.error.message.hasSuffix("f\(last): is bad"))
        #expect(!violations.error.message.contains("f\(next)"))
    }

    @Test func aCopyDoesNotChange() {
        var violations = Violations()
        let none = violations
        violations.add("one", "is bad")
        let one = violations
        violations.add("two", "is bad")
        #expect(none.isEmpty && one.error.message == "one: is bad")
        #expect(violations.error.message == "one: is bad; two: is bad")
    }
}
