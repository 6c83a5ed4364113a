import GRPC
import RPC
import RelationAdmission

/// Why a whole request is refused: the vendor's code, and words for people.
struct TIMError: Error, Sendable, Equatable {
    let code: Int
    let info: String

    init(_ code: Int, _ info: String) {
        self.code = code
        self.info = info
    }

    // The errors that the vendor's gateway finds, before any service sees a request.

    static let badTarget = TIMError(60002, "the URL cannot be read")
    static let noResource = TIMError(60009, "there is no such command: check the path of the URL")
    static let noApp = TIMError(60012, "the URL has no sdkappid")
    static let badApp = TIMError(60006, "the sdkappid is not a number of 32 bits")
    static let tooMany = TIMError(60007, "too many requests: send this one later")
    static let userIDIsNoText = TIMError(60015, "the UserID is not a string")
    static let noAnswer = TIMError(60008, "the server takes no calls now")

    static func query(_ info: String) -> TIMError { TIMError(60025, info) }

    static func signature(_ error: AdministratorError) -> TIMError {
        switch error {
        case .appUnknown: TIMError(70020, "there is no app of that sdkappid")
        case .malformed: TIMError(70003, "the usersig is malformed")
        case .foreignApp: TIMError(70014, "the usersig is of another sdkappid")
        case .foreignUser: TIMError(70013, "the usersig is of another identifier")
        case .notVerified: TIMError(70009, "the usersig was made with another key")
        case .expired: TIMError(70001, "the usersig has expired")
        case .notAnswered: TIMError(60017, "the app has not switched on TIM's REST API")
        case .noAdministrator: TIMError(60010, "the identifier is not an administrator of the app")
        }
    }

    /// The error of a call that was made for a request to `service`.
    init(_ failure: InsideCalls.Failure, in service: TIMService, _ names: TIMFieldNames) {
        let code =
            switch failure.reason {
            case "USER_NOT_FOUND": service.accountUnknown
            case "APP_NOT_FOUND": 70020
            case "CREDENTIAL_EXPIRED", "SESSION_REVOKED": 70001
            case "CREDENTIAL_INVALID", "CREDENTIAL_MISSING": 70009
            case "SCOPE_MISSING": service.administratorNeeded
            case "THROTTLED", "OVERLOADED", "TOO_MANY_OPEN_CALLS", "TOO_MANY_CONNECTIONS": 60007
            case "CONFLICT": service.conflict
            default: Self.code(of: failure.code, in: service)
            }
        self.init(code, names.translated(failure.message))
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
        switch status.code {
        case .resourceExhausted: self.init(service?.badParameter ?? 60003, status.message)
        case .invalidArgument: self.init(service?.noJSON ?? 60003, status.message)
        case .deadlineExceeded: self.init(service?.timeOut ?? 60008, status.message)
        default: self.init(service?.internalError ?? 60008, status.message)
        }
    }
}
