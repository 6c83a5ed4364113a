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
    func insert(_ principal: CachedPrincipal) {
        principals[principal.slot] = principal
    }

    /// The slot of a caller, by the bytes that it shows.
    ///
    /// Any caller may find two texts with one slot. Each of them then drives the other out, and
    /// does no other harm.
    static func slot(of shown: PresentedCredential) -> Int {
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
