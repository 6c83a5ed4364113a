/// Why a credential opens nothing.
///
/// What exactly is wrong with one that is invalid is not told: it helps those who forge more than
/// those who have erred.
package enum CredentialFault: Error, Equatable, Sendable {
    /// Malformed, signed by nobody we know, of another app, or of the future.
    case invalid
    /// Once good.
    case expired
}
