/// The credential that a caller shows beside a client certificate, or instead of one.
///
/// A text of it, such as that of `print`, never has the secret.
public enum ClientCredential: Sendable, CustomStringConvertible, CustomReflectable {
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

    /// The kind of the credential.
    public var description: String {
        switch self {
        case .apiKey: "apiKey(hidden)"
        case .userSig: "userSig(hidden)"
        case .provided: "provided(by a function)"
        }
    }

    /// The description, without parts.
    public var customMirror: Mirror { Mirror(self, children: [:], displayStyle: .enum) }

    /// The value of the metadata `authorization`; nil if a function has to be asked.
    var authorization: String? {
        switch self {
        case .apiKey(let key): "Bearer \(key)"
        case .userSig(let token): "UserSig \(token)"
        case .provided: nil
        }
    }
}
