import GRPC
import RelationAccess
import RelationCore

/// What opens one app: its API keys, client certificates, and the secrets of its users' signatures.
struct AppKeyring: Sendable {
    /// The newest first.
    var secrets: [SecretRecord] = []
    private(set) var keys: [AppKey] = []
    /// What is left of the app's calls; it stays when the rest changes.
    let calls = TokenBucket()
    /// What all its callers hold together; it stays too.
    let usage = Usage()

    init() {}

    init(_ credentials: AppCredentials) {
        secrets = credentials.secrets
        keys = credentials.credentials.map { AppKey($0.id, $0.record, in: usage) }
    }

    mutating func apply(_ change: CredentialChange) {
        keys.removeAll { $0.id == change.id }
        if let record = change.record { keys.append(AppKey(change.id, record, in: usage)) }
    }

    func key(named name: String) -> AppKey? {
        keys.first { !$0.record.isCertificate && $0.id.text.isExactly(name) }
    }

    func certificate(_ digest: [UInt8]) -> AppKey? {
        keys.first { $0.record.isCertificate && ConstantTime.holds($0.record.digest, digest) }
    }
}

/// One credential of a backend, with what is left of its calls.
package final class AppKey: Sendable {
    let id: CredentialID
    let record: CredentialRecord
    let calls = TokenBucket()
    /// What it holds: calls that are open, and connections.
    let usage: Usage

    init(_ id: CredentialID, _ record: CredentialRecord, in app: Usage) {
        self.id = id
        self.record = record
        usage = Usage(in: app)
    }
}
