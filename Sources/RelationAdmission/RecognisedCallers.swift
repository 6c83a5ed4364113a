import Compression
import GRPC
import RelationAccess
import RelationCore
import RelationModel

/// Whom one loop has recognised.
///
/// `@unchecked Sendable`: only that loop touches it.
final class RecognisedCallers: @unchecked Sendable {
    @exclusivity(unchecked) private var guests: [Guest?]
    let inflater = Inflater()

    init() {
        guests = Array(repeating: nil, count: AdmissionLimits.rememberedCallers)
    }

    /// Whoever showed the same before, if nothing has changed since.
    func known(_ shown: Shown, _ generation: UInt64) -> Guest? {
        guard let guest = guests[Self.slot(of: shown)], guest.generation == generation,
            guest.hasShown(shown)
        else { return nil }
        return guest
    }

    /// Remembers a guest, in place of whoever had its slot.
    func keep(_ guest: Guest) {
        guests[guest.slot] = guest
    }

    /// Where somebody has a place.
    ///
    /// Anybody may find two texts of one slot: each then costs the other its place, and no more.
    fileprivate static func slot(of shown: Shown) -> Int {
        var hash = UInt64(shown.bytes.count) ^ UInt64(shown.namedApp ?? 0) << 32
        var place = 0
        while place + 8 <= shown.bytes.count {
            hash ^= shown.bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
            hash = hash &* 0x9E37_79B9_7F4A_7C15
            hash ^= hash >> 29
            place += 8
        }
        while place < shown.bytes.count {
            hash = (hash ^ UInt64(shown.bytes[place])) &* 0x9E37_79B9_7F4A_7C15
            place += 1
        }
        return Int((hash >> 32) % UInt64(AdmissionLimits.rememberedCallers))
    }
}

/// Somebody whose credential counts: filled in while it is recognised, and never changed after.
final class Guest {
    let generation: UInt64
    let slot: Int
    private let kind: Shown.Kind
    private let bytes: [UInt8]
    private let shownApp: UInt32?

    var isOperator = false
    /// The app that an operator named.
    var namedApp: UInt32?
    var user: UserID?
    var scopes: ScopeSet = []
    var credential: ShownCredential?
    /// The last moment at which the credential is good.
    var expiresMs = Int64.max
    /// What is left of its own calls, of what rate, and of its app's.
    var calls: TokenBucket?
    var rate: Rate?
    var appCalls: TokenBucket?
    /// What it holds, and how much it may; nil for operators, who must get through.
    var usage: Usage?
    /// Nil for an operator that named no app, or none that there is.
    private(set) var caller: Caller?

    init(_ shown: Shown, _ generation: UInt64) {
        self.generation = generation
        slot = RecognisedCallers.slot(of: shown)
        kind = shown.kind
        bytes = Array(shown.bytes)
        shownApp = shown.namedApp
    }

    /// Whether `shown` is what this guest showed.
    ///
    /// Compared like a secret, which it is.
    func hasShown(_ shown: Shown) -> Bool {
        kind == shown.kind && shownApp == shown.namedApp
            && bytes.withUnsafeBytes { ConstantTime.holds($0, shown.bytes) }
    }

    /// The guest acts in `app`: the rest about it is known by now.
    func enter(_ app: App) {
        var caller = Caller(app: app, scopes: scopes, user: user)
        caller.credential = credential
        caller.expiresMs = expiresMs
        self.caller = caller
    }
}
