import Compression
import RelationAccess
import RelationCore
import RelationModel

/// Why a signature does not open TIM's REST API.
///
/// The reasons are in the order in which they are checked. The vendor has a code for each, and its
/// customers know their mistakes by them.
package enum AdministratorError: Error, Equatable, Sendable {
    /// There is no app of that number.
    case appUnknown
    /// The app lives in another database, or is on its way there.
    case appMoving
    /// The text is not a signature.
    case malformed
    /// The signature names another app.
    case foreignApp
    /// The signature names another user.
    case foreignUser
    /// No secret of the app has made the signature.
    case notVerified
    /// The signature was made after the present time.
    case ofTheFuture
    case expired
    /// The app has ended the user's sessions since the signature was made.
    case revoked
    /// The app does not answer TIM's calls.
    case notAnswered
    /// The user is none of the app's administrators.
    case noAdministrator
}

extension CredentialAuthenticator {
    /// Why `signature` is not that of the user `identifier` of `app`; nil if it is.
    func failure(of signature: [UInt8], by identifier: String, app: App) -> AdministratorError? {
        guard let claim = try? UserSig(reading: signature) else { return .malformed }
        guard claim.appID == app.id else { return .foreignApp }
        guard claim.user.text.isExactly(identifier) else { return .foreignUser }
        guard isGenuine(claim) else { return .notVerified }
        do throws(CredentialError) {
            try check(claim)
            return nil
        } catch {
            switch error {
            case .invalid: return .ofTheFuture
            case .expired: return .expired
            case .revoked: return .revoked
            }
        }
    }
}

extension UserSig {
    fileprivate init(reading text: [UInt8]) throws(CredentialError) {
        // `withUnsafeBytes` would lose the error's type.
        self = try text.withUnsafeBufferPointer { (buffer) throws(CredentialError) in
            try UserSig(reading: UnsafeRawBufferPointer(buffer), Inflater())
        }
    }
}
