import GRPC
import RPC
import RelationAdmission
import RelationModel

/// Why a whole request is refused: the vendor's code, and words for people.
struct TIMError: Error, Sendable, Equatable {
    let code: Int
    let info: String
    /// The error that meters, notes and logs have of the request.
    let error: RPCError
    /// Whether that which failed may be done all the same: the server did not say.
    var mayBeDone = false

    /// The error, of a write that may be done all the same.
    var asOfWrite: TIMError {
        var error = self
        error.mayBeDone = true
        return error
    }

    /// The words that an answer has, which say so.
    var words: String { mayBeDone ? info + "; this may be done all the same" : info }

    init(_ code: Int, _ info: String, _ status: Status.Code = .invalidArgument) {
        self.init(code, info, RPCError(status, info))
    }

    init(_ code: Int, _ info: String, _ error: RPCError) {
        self.code = code
        self.info = info
        self.error = error
    }

    // The errors that the vendor's gateway finds, before any service sees a request.

    static let badTarget = TIMError(60002, "the URL cannot be read")
    static let noResource = TIMError(
        60009, "there is no such command: check the path of the URL", .unimplemented)
    static let noApp = TIMError(60012, "the URL has no sdkappid")
    static let badApp = TIMError(60006, "the sdkappid is not a number of 32 bits")
    static let tooMany = TIMError(
        60007, "too many requests: send this one later", overloaded("too many requests"))
    static let userIDIsNoText = TIMError(60015, "the UserID is not a string")
    static let noAnswer = TIMError(60008, "the server takes no calls now", .unavailable)

    static func query(_ info: String) -> TIMError { TIMError(60025, info) }

    static func missing(_ info: String) -> TIMError { TIMError(60025, info, .credentialMissing) }

    static func signature(_ error: AdministratorError) -> TIMError {
        let (code, info) =
            switch error {
            case .appUnknown: (70020, "there is no app of that sdkappid")
            case .appMoving: (60008, "the app is on its way to another database: try again")
            case .malformed: (70003, "the usersig is malformed")
            case .foreignApp: (70014, "the usersig is of another sdkappid")
            case .foreignUser: (70013, "the usersig is of another identifier")
            case .notVerified: (70009, "the usersig was made with another key")
            case .ofTheFuture: (70003, "the usersig was made after the present time")
            case .expired: (70001, "the usersig has expired")
            case .revoked: (70001, "the usersig is from before the user's sessions were ended")
            case .notAnswered: (60017, "the app has not switched on TIM's REST API")
            case .noAdministrator: (60010, "the identifier is not an administrator of the app")
            }
        return TIMError(code, info, RPCError(error))
    }

    private static func overloaded(_ info: String) -> RPCError {
        var error = RPCError(.resourceExhausted, info)
        error.reason = UInt16(clamping: ErrorReason.overloaded.rawValue)
        return error
    }

    /// The error of a call that was made for a request to `service`.
    init(_ failure: InsideCalls.Failure, in service: TIMService, _ names: TIMFieldNames) {
        let code =
            switch failure.reason {
            case "USER_NOT_FOUND": service.accountUnknown
            case "APP_NOT_FOUND": 70020
            case "CREDENTIAL_EXPIRED", "SESSION_REVOKED": 70001
            case "CREDENTIAL_INVALID", "CREDENTIAL_MISSING": 70009
            case "ACCOUNT_SUSPENDED": service.accountSuspended
            case "SCOPE_MISSING": service.administratorNeeded
            case "THROTTLED", "OVERLOADED", "TOO_MANY_OPEN_CALLS", "TOO_MANY_CONNECTIONS": 60007
            case "CONFLICT": service.conflict
            default: Self.code(of: failure.code, in: service)
            }
        // The call itself has counted its reason.
        self.init(code, names.translated(failure.message), failure.status)
    }

    /// The error of a write that may be done although it has failed so.
    init(
        ofWrite failure: InsideCalls.Failure, in service: TIMService, _ names: TIMFieldNames
    ) {
        self.init(failure, in: service, names)
        mayBeDone = failure.leavesWriteOpen
    }

    private static func code(of word: String, in service: TIMService) -> Int {
        switch word {
        case "invalid_argument", "out_of_range", "failed_precondition", "not_found":
            service.badParameter
        case "permission_denied": service.administratorNeeded
        case "deadline_exceeded": service.timeOut
        case "aborted": service.conflict
        default: service.internalError
        }
    }

    /// The error of a request that ended in a status before its command was run.
    init(_ status: Status, in service: TIMService?) {
        let code =
            switch status.code {
            case .resourceExhausted: service?.badParameter ?? 60003
            case .invalidArgument: service?.noJSON ?? 60003
            case .deadlineExceeded: service?.timeOut ?? 60008
            default: service?.internalError ?? 60008
            }
        self.init(code, status.message, status.code)
    }
}

extension InsideCalls.Failure {
    /// Whether a write that has failed so may be done all the same.
    var leavesWriteOpen: Bool {
        // Its time has ended, its connection has, or its commit has no known outcome.
        code.isEmpty || code == "deadline_exceeded" || code == "unknown"
    }

    /// Whether a write that has failed so under its request id was not done before either.
    ///
    /// These are refusals of the transaction itself, which has looked for the answer under the id
    /// before, or has found that the account is gone with it. Others come before anything is read.
    var settlesWrite: Bool { reason == "ACCOUNT_SUSPENDED" || reason == "USER_NOT_FOUND" }
}
