import GRPC
import RPC
import RelationCalls

/// The credential and the app that a call shows: views that are valid while its handler runs.
struct PresentedCredential {
    /// The kind of the credential that the call shows.
    enum Kind {
        case key, signature, certificate
        /// The signature of an administrator, who acts for the app.
        case administrator
    }

    let kind: Kind
    /// The key, the signature, or the certificate's digest.
    let bytes: UnsafeRawBufferPointer
    /// The app that the call names; nil if it names none.
    let namedApp: UInt32?

    /// - Throws: ``RPCError``: INVALID_ARGUMENT for metadata that is not the number of an app,
    ///   UNAUTHENTICATED for a call without a credential, or with a credential of an unknown kind.
    init(_ call: ServerCall) throws(RPCError) {
        if let text = call.metadataBytes(CredentialAuthenticator.appHeader) {
            var violations = Violations()
            namedApp = violations.app(text)
            if call.hasSeveralMetadata(CredentialAuthenticator.appHeader) {
                violations.add("\(CredentialAuthenticator.appHeader)", "may be given once")
            }
            guard violations.isEmpty else { throw violations.error }
        } else {
            namedApp = nil
        }
        if let text = call.metadataBytes(CredentialAuthenticator.credentialHeader) {
            guard !call.hasSeveralMetadata(CredentialAuthenticator.credentialHeader) else {
                throw .severalCredentials
            }
            if let key = Self.rest(of: text, after: "bearer") {
                (kind, bytes) = (.key, key)
            } else if let signature = Self.rest(of: text, after: "usersig") {
                (kind, bytes) = (.signature, signature)
            } else if let signature = Self.rest(of: text, after: "timadmin") {
                (kind, bytes) = (.administrator, signature)
            } else {
                throw .credentialUnknown
            }
        } else if let digest = call.peerCertificate {
            (kind, bytes) = (.certificate, digest)
        } else {
            throw .credentialMissing
        }
    }

    var isCertificateWithoutApp: Bool { kind == .certificate && namedApp == nil }

    /// The text after `scheme` in upper or lower case, and after blanks.
    private static func rest(
        of text: UnsafeRawBufferPointer, after scheme: StaticString
    ) -> UnsafeRawBufferPointer? {
        let count = scheme.utf8CodeUnitCount
        guard text.count > count, text[count] == UInt8(ascii: " ") else { return nil }
        for index in 0..<count where text[index] | 0x20 != scheme.utf8Start[index] { return nil }
        var start = count
        while start < text.count, text[start] == UInt8(ascii: " ") { start += 1 }
        return UnsafeRawBufferPointer(rebasing: text[start...])
    }
}
