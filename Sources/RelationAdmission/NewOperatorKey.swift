package import RelationAPI
import RelationAccess
package import RelationCalls
package import RelationCore
package import RelationModel

/// A key of an operator that is about to be stored, with its secret.
package struct NewOperatorKey: Sendable {
    package let id: CredentialID
    package let record: CredentialRecord
    /// The whole key, of which the record has only a digest.
    package let text: String

    /// - Parameter expiresMs: The last moment at which it is good; 0 for ever.
    package init(
        _ name: String, expiresMs: Int64 = 0, at now: Timestamp, _ randomness: Randomness
    ) {
        id = CredentialID(randomness.text(bytes: 8))
        text = "\(App.registry.id).\(id.text).\(randomness.text(bytes: 32))"
        var record = CredentialRecord()
        record.name = name
        record.scopes = [.operator]
        record.createdMs = now.milliseconds
        record.expiresMs = expiresMs
        record.digest = APIKey.digest(of: text.utf8)
        self.record = record
    }
}

extension OperatorKey {
    package init(_ id: CredentialID, _ record: CredentialRecord) {
        self.init()
        credentialID = id.text
        name = record.name
        createTimeMs = record.createdMs
        expireTimeMs = record.expiresMs
    }
}
