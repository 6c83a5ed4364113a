import Compression
import GRPC
import RelationAccess
import RelationCore
import RelationModel

/// The callers that one loop has recognised.
///
/// `@unchecked Sendable`: only that loop touches it.
final class RecognisedCallers: @unchecked Sendable {
    @exclusivity(unchecked) private var guests: [Guest?]
    let inflater = Inflater()

    init() {
        guests = Array(repeating: nil, count: AdmissionLimits.rememberedCallers)
    }

    /// The guest that showed the same bytes before; nil if there is none, or if anything has
    /// changed.
    func known(_ shown: Shown, _ generation: UInt64) -> Guest? {
        guard let guest = guests[Self.slot(of: shown)], guest.generation == generation,
            guest.hasShown(shown)
        else { return nil }
        return guest
    }

    /// Remembers a guest, in place of the one that had its slot.
    func keep(_ guest: Guest) {
        guests[guest.slot] = guest
    }

    /// The slot of a caller, by the bytes that it shows.
    ///
    /// Any caller may find two texts with one slot. Each of them then drives the other out, and
    /// does no other harm.
    fileprivate static func slot(of shown: Shown) -> Int {
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
    /// The limits of all callers at that time, or the lower ones of the guest's app.
    var limits: CallerLimits
    var isOperator = false
    /// The app that an operator named; nil if it named none.
    var namedApp: UInt32?
    var user: UserID?
    var scopes: ScopeSet = []
    var credential: ShownCredential?
    /// The last moment at which the credential is valid.
    var expiresMs = Int64.max
    /// The rest of the guest's own rate of calls, that rate, and the rest of its app's rate.
    var calls: TokenBucket?
    var rate: Rate?
    var appCalls: TokenBucket?
    /// The calls and connections of the guest; nil for operators, who must always get through.
    var usage: Usage?
    /// The app that the guest calls for; nil if an operator named none, or one that does not exist.
    var app: App?
}

/// A caller with a valid credential.
///
/// It never changes, so that a call reads it without counting its parts.
final class Guest {
    let generation: UInt64
    let slot: Int
    private let kind: Shown.Kind
    private let bytes: [UInt8]
    private let shownApp: UInt32?

    // As in the finding.
    let namedApp: UInt32?
    let scopes: ScopeSet
    let credential: ShownCredential?
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

    init(_ shown: Shown, _ generation: UInt64, _ finding: Finding) {
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

    /// Whether `shown` is the same as this guest showed.
    ///
    /// The bytes are a secret, so they are compared in constant time.
    func hasShown(_ shown: Shown) -> Bool {
        kind == shown.kind && shownApp == shown.namedApp
            && bytes.withUnsafeBytes { ConstantTime.holds($0, shown.bytes) }
    }
}
