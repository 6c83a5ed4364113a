import Protobuf
import RelationModel

/// How a line of a method table says what its call answers:
/// `answers: codes(FriendStatus.self, .success, .pending)`.
func codes<Code: OpenEnum>(_ type: Code.Type, _ codes: Code...) -> [AnswerCode] {
    codes.map { AnswerCode($0) }
}

/// The reasons for which every call of a kind may fail, whatever it does.
enum ReasonsByKind {
    static let every: [ErrorReason] = [
        .malformedMessage, .invalidField, .tooManyItems, .credentialMissing, .credentialInvalid,
        .credentialExpired, .scopeMissing, .appNotFound, .throttled, .tooManyOpenCalls,
        .tooManyConnections, .storageUnavailable, .stopping, .overloaded,
    ]
    static let forUsers: [ErrorReason] = [.userNotFound, .foreignUser]
    static let reading: [ErrorReason] = [.sequenceNotIssued, .behind]
    static let writing: [ErrorReason] = [.requestIDReused, .conflict, .diskLow, .outcomeUnknown]
}
