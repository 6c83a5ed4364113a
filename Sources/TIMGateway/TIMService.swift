/// A service of TIM's REST API, which has codes of its own for the errors that all share.
enum TIMService: String, Sendable {
    case sns
    case profile
    case follow
    case login = "im_open_login_svc"
    case presence = "openim"

    /// Whether an answer has the member `ErrorDisplay`.
    var showsDisplay: Bool {
        switch self {
        case .sns, .profile, .follow: true
        case .login, .presence: false
        }
    }

    /// A parameter is missing or malformed.
    var badParameter: Int {
        switch self {
        case .sns, .follow: 30001
        case .profile: 40001
        case .login: 70402
        case .presence: 90001
        }
    }

    /// The user that the request acts for is not an account.
    var accountUnknown: Int {
        switch self {
        case .sns, .follow: 30003
        case .profile: 40003
        case .login, .presence: 70107
        }
    }

    /// The caller may not do so.
    var administratorNeeded: Int {
        switch self {
        case .sns, .follow: 30004
        case .profile: 40004
        case .login: 70403
        case .presence: 90009
        }
    }

    /// The user that the request acts for may not write.
    var accountSuspended: Int {
        switch self {
        case .sns: 30009
        case .login: 70051
        case .profile, .follow, .presence: administratorNeeded
        }
    }

    /// The server erred, or its store does not answer.
    var internalError: Int {
        switch self {
        case .sns, .follow: 30006
        case .profile: 40006
        case .login: 70500
        case .presence: 91000
        }
    }

    /// The answer took too long.
    var timeOut: Int {
        switch self {
        case .sns, .follow: 30007
        case .profile: 40006
        case .login, .presence: 70169
        }
    }

    /// Another write was in the way.
    var conflict: Int {
        switch self {
        case .sns, .follow: 30008
        case .profile, .login, .presence: internalError
        }
    }

    /// The body is not a JSON object.
    var noJSON: Int { self == .presence ? 90001 : 60003 }
}
