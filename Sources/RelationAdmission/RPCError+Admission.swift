package import GRPC
package import RPC
package import RelationAccess
import RelationCalls
package import RelationModel

// The errors of a call that is not authorised.

extension RPCError {
    /// The server has no lease of the store that it shares with others.
    package static let noLease = RPCError(
        .unavailable, .storageUnavailable,
        "the server cannot reach the store that it shares; try again later",
        .retryAfter(milliseconds: AnswerLimits.retryAfterMilliseconds))

    /// The database of the app is away, and others of the fleet may be there.
    package static let databaseAway = RPCError(
        .unavailable, .storageUnavailable,
        "the server cannot reach the database of the app; try again later",
        .retryAfter(milliseconds: AnswerLimits.retryAfterMilliseconds))

    /// No credential came with the call.
    package static let credentialMissing = RPCError(
        .unauthenticated, .credentialMissing,
        "the call carries no credential: send the metadata authorization")

    package static let credentialUnknown = RPCError(
        .unauthenticated, .credentialInvalid,
        "authorization: must be \"Bearer KEY\" or \"UserSig TOKEN\"")

    /// A proxy on the way may have checked one of them and let the other pass.
    package static let severalCredentials = RPCError(
        .unauthenticated, .credentialInvalid,
        "authorization: must be given once, and the call has it several times")

    /// A client certificate is not a secret, and any app may register it: so the call names its
    /// app.
    package static let appNotNamed = RPCError(
        .unauthenticated, .credentialMissing,
        "x-app-id: must name the app that the client certificate is registered with")

    /// The call names one app, and its credential belongs to another.
    package static let foreignApp = RPCError(
        .unauthenticated, .credentialInvalid,
        "x-app-id: the credential belongs to another app")

    /// The error says no more about the credential than the client needs.
    package init(_ error: CredentialError) {
        switch error {
        case .invalid:
            self = RPCError(.unauthenticated, .credentialInvalid, "the credential is not valid")
        case .expired:
            self = RPCError(.unauthenticated, .credentialExpired, "the credential has expired")
        case .revoked:
            self = RPCError(
                .unauthenticated, .sessionRevoked,
                "the app has ended the user's sessions: sign in again")
        }
    }

    /// The error as which a call of the contract with such a signature fails.
    package init(_ error: AdministratorError) {
        switch error {
        case .expired: self.init(CredentialError.expired)
        case .revoked: self.init(CredentialError.revoked)
        case .appMoving:
            self.init(
                .unavailable, .appMoving, "the app is on its way to another database",
                .retryAfter(milliseconds: AnswerLimits.retryAfterMilliseconds))
        case .appUnknown, .malformed, .foreignApp, .foreignUser, .notVerified, .ofTheFuture,
            .notAnswered, .noAdministrator:
            self.init(CredentialError.invalid)
        }
    }

    /// The caller, or its app, calls more often than it may.
    package static func throttled(_ rate: Rate, nanoseconds wait: Int64) -> RPCError {
        RPCError(
            .resourceExhausted, .throttled, "too many calls: send this one later",
            metadata: ["limit": "\(rate.perSecond)"],
            .retryAfter(milliseconds: (wait + 999_999) / 1_000_000))
    }

    /// The caller, or its app, has as many open calls as it may.
    package static func tooManyOpenCalls(_ bound: Usage.Bound) -> RPCError {
        held(.tooManyOpenCalls, bound, "too many calls are open: end one, or try again later")
    }

    /// The caller, or its app, has as many connections as it may.
    package static func tooManyConnections(_ bound: Usage.Bound) -> RPCError {
        held(.tooManyConnections, bound, "too many connections: use one for all calls")
    }

    private static func held(
        _ reason: ErrorReason, _ bound: Usage.Bound, _ message: String
    ) -> RPCError {
        let limit =
            switch bound {
            case .own(let limit), .group(let limit): limit
            }
        return RPCError(
            .resourceExhausted, reason, message, metadata: ["limit": "\(limit)"],
            .retryAfter(milliseconds: AdmissionLimits.retryHeldMilliseconds))
    }

    /// The caller may not make a call that needs `scope`.
    ///
    /// It gets the scopes that it has, so that one refusal says all that it may do.
    package static func missing(_ scope: Scope, among scopes: ScopeSet) -> RPCError {
        RPCError(
            .permissionDenied, .scopeMissing, "this call needs the scope \(scope.word)",
            metadata: ["scopes": scopes.words.joined(separator: ",")])
    }

    /// The caller may not set a field that needs `scope`.
    package static func missing(_ scope: Scope) -> RPCError {
        RPCError(.permissionDenied, .scopeMissing, "this call needs the scope \(scope.word)")
    }

    /// A user's own credential was used for a call that services make.
    package static let forServices = RPCError(
        .permissionDenied, .scopeMissing,
        "this call is for the app's services: a user's own credential does not open it")
}
