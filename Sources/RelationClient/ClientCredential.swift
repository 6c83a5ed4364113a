/// The credential that a caller shows beside a client certificate, or instead of one.
public enum ClientCredential: Sendable {
    /// A backend's or an operator's key.
    case apiKey(String)
    /// A user's signature (TLSSigAPIv2).
    case userSig(String)
    /// A credential that changes: the function is asked before each attempt of a call.
    ///
    /// Return at once while the credential is good: the call waits for the function, and its
    /// timeout does not end the wait. If the server answers UNAUTHENTICATED, the function is asked
    /// once more and the call is made once again. An error of the function is thrown to the caller
    /// of the call. The function may not return `.provided`.
    case provided(@Sendable () async throws -> ClientCredential)

    /// The value of the metadata `authorization`; nil if a function has to be asked.
    var authorization: String? {
        switch self {
        case .apiKey(let key): "Bearer \(key)"
        case .userSig(let token): "UserSig \(token)"
        case .provided: nil
        }
    }
}
