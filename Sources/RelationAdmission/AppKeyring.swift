import GRPC
import RelationAccess
import RelationCore

/// The credentials of one app: its API keys, client certificates, and the secrets of its users'
/// signatures.
struct AppKeyring: Sendable {
    /// The newest secret comes first.
    var secrets: [SecretRecord] = []
    private(set) var keys: [AppKey] = []
    /// The rest of the app's rate of calls; it stays when the credentials change.
    let calls: TokenBucket
    /// The rest of the rate that the administrators of TIM's REST API share.
    let administrators: TokenBucket
    /// The calls and connections that all callers of the app hold together; it stays too.
    let usage: Usage
    /// The rates of the app's users, if they are bounded for this app; nil while its users share
    /// the buckets of all apps.
    ///
    /// Users who share a bucket may call no more often than the slowest of them. So a low bound of
    /// one app must not meet users of others.
    private(set) var users: TokenBuckets?
    /// The ends of users' sessions.
    let sessions: EndedSessions

    init() {
        (calls, administrators, usage) = (TokenBucket(), TokenBucket(), Usage())
        sessions = EndedSessions()
    }

    /// - Parameter known: The keyring that this server has already. The ends of sessions are added
    ///   to its own if they are of the same history. Its rates stay, and each key that has not
    ///   changed, with its last use: calls and streams that were admitted with it go on.
    init(_ credentials: AppCredentials, _ known: AppKeyring? = nil) {
        calls = known?.calls ?? TokenBucket()
        administrators = known?.administrators ?? TokenBucket()
        let usage = known?.usage ?? Usage()
        self.usage = usage
        users = known?.users
        let read = credentials.sessions
        if let ends = known?.sessions, ends.history == read.history {
            ends.add(read)
            sessions = ends
        } else {
            sessions = EndedSessions(read)
        }
        secrets = credentials.secrets
        keys = credentials.credentials.map { row in
            let key = known?.keys.first { $0.id == row.id }
            if let key, key.isFor(row.record) { return key }
            return AppKey(row.id, row.record, in: usage, key?.use)
        }
    }

    /// Takes the bounds of the app, as they are now.
    mutating func apply(_ bounds: AppBounds) {
        if bounds.userRate == 0 {
            users = nil
        } else if users == nil {
            users = TokenBuckets(count: AdmissionLimits.userBucketsOfApp)
        }
    }

    mutating func apply(_ change: CredentialChange) {
        let use = use(of: change.id)
        keys.removeAll { $0.id == change.id }
        if let record = change.record { keys.append(AppKey(change.id, record, in: usage, use)) }
    }

    private func use(of id: CredentialID) -> LastUse? { keys.first { $0.id == id }?.use }

    func key(named name: String) -> AppKey? {
        keys.first { !$0.record.isCertificate && $0.id.text.isExactly(name) }
    }

    func certificate(_ digest: [UInt8]) -> AppKey? {
        keys.first { $0.record.isCertificate && ConstantTime.areEqual($0.record.digest, digest) }
    }
}

/// One credential of a backend, with the rest of its rate of calls.
package final class AppKey: Sendable {
    let id: CredentialID
    let record: CredentialRecord
    let calls = TokenBucket()
    /// The open calls and the connections that the credential holds.
    let usage: Usage
    let use: LastUse

    init(
        _ id: CredentialID, _ record: CredentialRecord, in app: Usage, _ use: LastUse? = nil
    ) {
        self.id = id
        self.record = record
        usage = Usage(in: app)
        self.use = use ?? LastUse()
    }

    /// Whether a record says the same of the credential, but for its last use.
    func isFor(_ other: CredentialRecord) -> Bool {
        var other = other
        other.lastUseMs = record.lastUseMs
        return other == record
    }
}
