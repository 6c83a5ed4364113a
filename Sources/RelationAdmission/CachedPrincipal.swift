import GRPC
import RelationAccess
import RelationCore
import RelationModel

/// A caller with a valid credential.
///
/// It never changes, so that a call reads it without counting its parts.
final class CachedPrincipal {
    let generation: UInt64
    let slot: Int
    private let kind: PresentedCredential.Kind
    private let bytes: [UInt8]
    private let shownApp: UInt32?

    // As in the finding.
    let namedApp: UInt32?
    let scopes: ScopeSet
    let credential: CallerCredential?
    let expiresMs: Int64
    let calls: TokenBucket?
    let rate: Rate?
    let appCalls: TokenBucket?
    let appRate: Rate?
    let use: LastUse?
    let connections: Usage.Bounds
    let group: Int
    let usage: Usage?
    /// The usage, by which a call tells it from others without counting who has it.
    let usageID: ObjectIdentifier?

    /// The caller; nil if an operator named no app, or an app that does not exist.
    let caller: Caller?

    init(_ shown: PresentedCredential, _ generation: UInt64, _ finding: Finding) {
        self.generation = generation
        slot = RecognisedCallers.slot(of: shown)
        kind = shown.kind
        bytes = Array(shown.bytes)
        shownApp = shown.namedApp
        namedApp = finding.namedApp
        scopes = finding.scopes
        credential = finding.credential
        expiresMs = finding.expiresMs
        calls = finding.calls
        rate = finding.rate
        appCalls = finding.appCalls
        appRate = finding.limits.rates.app
        use = finding.use
        group = finding.group
        let bounds = finding.limits.bounds
        let isUser = finding.user != nil
        connections = bounds.connections.bounds(isUser: isUser)
        usage = finding.usage
        usageID = finding.usage.map(ObjectIdentifier.init)
        caller = finding.app.map { app in
            Caller(
                app: app, scopes: finding.scopes, user: finding.user,
                credential: finding.credential, expiresMs: finding.expiresMs,
                openCalls: bounds.calls.bounds(isUser: isUser))
        }
    }

    /// Whether `shown` is the same as this principal showed.
    ///
    /// The bytes are a secret, so they are compared in constant time.
    func hasShown(_ shown: PresentedCredential) -> Bool {
        kind == shown.kind && shownApp == shown.namedApp
            && bytes.withUnsafeBytes { ConstantTime.areEqual($0, shown.bytes) }
    }
}
