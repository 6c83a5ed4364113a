import RelationAccess
import RelationCore

/// What opens one app: its API keys, client certificates, and the secrets of its users' signatures.
struct AppLock: Sendable {
    /// The newest first.
    var secrets: [SecretRecord] = []
    private(set) var keys: [AppKey] = []
    /// What is left of the app's calls; it stays when the rest changes.
    let calls = TokenBucket()

    init() {}

    init(_ credentials: AppCredentials) {
        secrets = credentials.secrets
        keys = credentials.credentials.map(AppKey.init)
    }

    mutating func apply(_ change: CredentialChange) {
        keys.removeAll { $0.id == change.id }
        if let record = change.record { keys.append(AppKey(change.id, record)) }
    }

    func key(named name: String) -> AppKey? {
        keys.first { !$0.record.isCertificate && $0.id.text.isExactly(name) }
    }

    func certificate(_ digest: [UInt8]) -> AppKey? {
        keys.first { $0.record.isCertificate && Sameness.holds($0.record.digest, digest) }
    }
}

/// One credential of a backend, with what is left of its calls.
final class AppKey: Sendable {
    let id: CredentialID
    let record: CredentialRecord
    let calls = TokenBucket()

    init(_ id: CredentialID, _ record: CredentialRecord) {
        self.id = id
        self.record = record
    }
}
