import GRPC
import Protobuf
import RPC
import RelationAPI
import RelationCalls
import RelationModel
import Testing

@testable import RelationClient

/// Errors of calls, as values.
struct CallErrorTests {
    @Test func detailsOfTheServerAreValues() {
        let failure = RPCError(
            .invalidArgument, .invalidField, "items[2].user_id: must not be empty",
            metadata: ["limit": "3"],
            .badRequest([
                {
                    var violation = BadRequest.FieldViolation()
                    violation.field = "items[2].user_id"
                    violation.description = "must not be empty"
                    return violation
                }()
            ]))
        let error = CallError(failure, attempts: 2)
        #expect(
            error
                == CallError(
                    code: .invalidArgument, message: "items[2].user_id: must not be empty",
                    reason: "INVALID_FIELD", metadata: ["limit": "3"],
                    violations: [
                        CallError.FieldViolation(
                            field: "items[2].user_id", rule: "must not be empty")
                    ], attempts: 2))
        #expect(error.knownReason == .invalidField)
        #expect(error.violations.description == "[items[2].user_id: must not be empty]")
        #expect(error != CallError(failure, attempts: 3))
    }

    @Test func theTimeAfterWhichToTryAgainIsADuration() {
        let failure = RPCError(
            .resourceExhausted, .throttled, "later", .retryAfter(milliseconds: 1_234))
        #expect(CallError(failure).retryAfter == .milliseconds(1_234))
        var pushed = RPCError(.unavailable, "later")
        pushed.pushback = .after(.seconds(3))
        #expect(CallError(pushed).retryAfter == .seconds(3))
        #expect(CallError(RPCError(.unavailable, "later")).retryAfter == nil)
    }

    @Test func theDescriptionTellsCodeReasonMessageAndAttempts() {
        let plain = CallError(code: .unavailable, message: "cannot connect")
        #expect(plain.description == "UNAVAILABLE: cannot connect")
        let full = CallError(
            code: .notFound, message: "no account", reason: "USER_NOT_FOUND", attempts: 3)
        #expect(full.description == "NOT_FOUND (USER_NOT_FOUND): no account (after 3 attempts)")
    }

    @Test func aReasonOfANewerServerIsAText() {
        let newer = CallError(code: .aborted, message: "", reason: "FROM_THE_FUTURE")
        #expect(newer.knownReason == nil && newer.reason == "FROM_THE_FUTURE")
        #expect(CallError(code: .aborted, message: "").knownReason == nil)
    }

    @Test func detailsThatCannotBeReadTakeNothingAway() {
        let error = CallError(RPCError(.notFound, "no", details: [0xFF, 0xFF]))
        #expect(error == CallError(code: .notFound, message: "no"))
    }

    @Test func everyStatusHasItsNameInGRPC() {
        for code in Status.Code.allCases {
            #expect(StatusCode(code).description == "\(code)")
        }
        #expect(StatusCode.internalError.description == "INTERNAL")
        #expect(StatusCode(rawValue: 99).description == "99")
        #expect(
            [
                StatusCode.ok, .cancelled, .unknown, .invalidArgument, .deadlineExceeded,
                .notFound, .alreadyExists, .permissionDenied, .resourceExhausted,
                .failedPrecondition, .aborted, .outOfRange, .unimplemented, .internalError,
                .unavailable, .dataLoss, .unauthenticated,
            ] == Status.Code.allCases.map { StatusCode($0) })
    }
}
