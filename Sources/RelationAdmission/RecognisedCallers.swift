import Compression
import GRPC
import RelationAccess
import RelationCore
import RelationModel

/// The callers that one loop has recognised.
///
/// `@unchecked Sendable`: only that loop touches it.
final class RecognisedCallers: @unchecked Sendable {
    @exclusivity(unchecked) private var principals: [CachedPrincipal?]
    let inflater = Inflater()

    init() {
        principals = Array(repeating: nil, count: AdmissionLimits.rememberedCallers)
    }

    /// The principal that showed the same bytes before; nil if there is none, or if anything has
    /// changed.
    func known(_ shown: PresentedCredential, _ generation: UInt64) -> CachedPrincipal? {
        guard let principal = principals[Self.slot(of: shown)], principal.generation == generation,
            principal.hasShown(shown)
        else { return nil }
        return principal
    }

    /// Remembers a principal, in place of the one that had its slot.
    func keep(_ principal: CachedPrincipal) {
        principals[principal.slot] = principal
    }

    /// The slot of a caller, by the bytes that it shows.
    ///
    /// Any caller may find two texts with one slot. Each of them then drives the other out, and
    /// does no other harm.
    fileprivate static func slot(of shown: PresentedCredential) -> Int {
        var hash = UInt64(shown.bytes.count) ^ UInt64(shown.namedApp ?? 0) << 32
        var offset = 0
        while offset + 8 <= shown.bytes.count {
            hash ^= shown.bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            hash = hash &* 0x9E37_79B9_7F4A_7C15
            hash ^= hash >> 29
            offset += 8
        }
        while offset < shown.bytes.count {
            hash = (hash ^ UInt64(shown.bytes[offset])) &* 0x9E37_79B9_7F4A_7C15
            offset += 1
        }
        return Int((hash >> 32) % UInt64(AdmissionLimits.rememberedCallers))
    }
}

/// The findings about a credential, while it is recognised.
struct Finding {
    /// The limits of all callers at that time, or the lower ones of the principal's app.
    var limits: CallerLimits
    var isOperator = false
    /// The app that an operator named; nil if it named none.
    var namedApp: UInt32?
    var user: UserID?
    var scopes: ScopeSet = []
    var credential: CallerCredential?
    /// The last moment at which the credential is valid.
    var expiresMs = Int64.max
    /// The rest of the principal's own rate of calls, that rate, and the rest of its app's rate.
    var calls: TokenBucket?
    var rate: Rate?
    var appCalls: TokenBucket?
    /// The calls and connections of the principal; nil for operators, who must always get through.
    var usage: Usage?
    /// The app that the principal calls for; nil if an operator named none, or one that does not
    /// exist.
    var app: App?
}

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
    let connections: Usage.Bounds
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
            && bytes.withUnsafeBytes { ConstantTime.holds($0, shown.bytes) }
    }
}
