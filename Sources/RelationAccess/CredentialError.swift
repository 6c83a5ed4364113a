/// Why a credential is refused.
///
/// The answer does not say the exact error of an invalid credential: that would help forgers more
/// than callers who made a mistake.
package enum CredentialError: Error, Equatable, Sendable {
    /// Malformed, signed with an unknown secret, of another app, or not yet valid.
    case invalid
    /// Valid once, but expired.
    case expired
    /// Valid once, but the app has ended the sessions of its user since.
    case revoked
}
