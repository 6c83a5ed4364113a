package import Protobuf
package import RelationModel

/// An API key or client certificate of an app: its scopes, and the digest by which it is
/// recognized.
package struct CredentialRecord: CodedMessage, Equatable {
    package var name = ""
    package var scopes: [Scope] = []
    package var createdMs: Int64 = 0
    /// The last time at which it is good; 0 means for ever.
    package var expiresMs: Int64 = 0
    /// SHA-256 of the secret's text or, if the credential is a client certificate, of the
    /// certificate.
    package var digest: [UInt8] = []
    /// Whether the credential is a client certificate, and not an API key.
    package var isCertificate = false
    /// When a call last showed it, as it was noted last; 0 if no use was noted yet.
    package var lastUseMs: Int64 = 0

    package init() {}

    package static let schema = Schema("relation.store.Credential", CredentialRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "name", &name)
        visitor.field(2, "scopes", &scopes)
        visitor.field(3, "created_ms", &createdMs)
        visitor.field(4, "expires_ms", &expiresMs)
        visitor.field(5, "digest", &digest)
        visitor.field(6, "is_certificate", &isCertificate)
        visitor.field(7, "last_use_ms", &lastUseMs)
    }
}
