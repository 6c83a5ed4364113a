import Protobuf
import RelationModel

/// The codes that a call answers, as a line of a method table names them: `answers:
/// codes(FriendStatus.self, .success, .pending)`.
func codes<Code: OpenEnum>(_ type: Code.Type, _ codes: Code...) -> [AnswerCode] {
    codes.map { AnswerCode($0) }
}

/// The reasons for which every call of a kind may fail.
enum ReasonsByKind {
    static let every: [ErrorReason] = [
        .malformedMessage, .invalidField, .tooManyItems, .credentialMissing, .credentialInvalid,
        .credentialExpired, .scopeMissing, .appNotFound, .throttled, .tooManyOpenCalls,
        .tooManyConnections, .storageUnavailable, .stopping, .overloaded, .sessionRevoked,
        .appMoving,
    ]
    static let forUsers: [ErrorReason] = [.userNotFound, .foreignUser]
    static let reading: [ErrorReason] = [.sequenceNotIssued, .behind]
    static let writing: [ErrorReason] = [.requestIDReused, .conflict, .diskLow, .outcomeUnknown]
    static let writingForUsers: [ErrorReason] = [.sequenceStale, .accountSuspended]
}
