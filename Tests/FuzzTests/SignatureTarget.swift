import Compression
import Memory
import Protobuf
import RelationModel

@testable import RelationAccess

/// The credentials that callers show: a user's signature, or the text of an API key.
///
/// All bytes are read or refused, and nothing counts as genuine that the holder of the secret has
/// not signed.
enum SignatureTarget {
    /// The kind of the input, which its first byte gives.
    private enum Kind: UInt8 {
        case token = 0
        /// The JSON object in a token.
        case claims = 1
        case key = 2
    }

    private static let secret = "5bd2850fff3ecb11d7c805251c51ee463a25727bddc2385f3fa8bfee1bb93b5e"

    /// The claims in the first inputs that were signed with the secret.
    private static let signed: Set = [
        Claims(app: 1_400_000_000, user: "xiaojun", expiresMs: 1_715_552_000_000),
        Claims(app: 1_400_000_000, user: "xiaojun", expiresMs: 1_700_086_400_000),
    ]

    private struct Claims: Hashable {
        let app: UInt32
        let user: String
        let expiresMs: Int64
    }

    static let target = FuzzTarget(name: "credential", form: .text, maxBytes: 5_000) { input in
        guard let first = input.first, let kind = Kind(rawValue: first) else { return }
        let text = Array(input.dropFirst())
        switch kind {
        case .token: try check(text)
        case .claims: try check(packed(text))
        case .key: try checkKey(text)
        }
    }

    private static func check(_ token: [UInt8]) throws {
        let read: Result<UserSig, CredentialError> = token.withUnsafeBytes { token in
            do throws(CredentialError) {
                return .success(try UserSig(reading: token, Inflater()))
            } catch {
                return .failure(error)
            }
        }
        switch read {
        case .failure(let failure): try require(failure == .invalid, "it fails with \(failure)")
        case .success(let claim):
            try require(UserID(claim.user.text) != nil, "it is of no user")
            let claims = Claims(
                app: claim.appID, user: claim.user.text, expiresMs: claim.expiresMs)
            try require(
                !claim.isSigned(with: secret) || signed.contains(claims),
                "\(claims) were never signed")
            try require(!claim.isSigned(with: ""), "an empty secret opens")
            for now: Int64 in [.min / 2, 0, 1_700_000_000_000, .max / 2] {
                _ = try? claim.check(at: Timestamp(milliseconds: now))
            }
        }
    }

    /// The token with `json` in it, be that a JSON object or not.
    static func packed(_ json: [UInt8]) throws -> [UInt8] {
        guard let deflater = Deflater(.zlib) else { return [] }
        // The blanks make sure that short JSON gets shorter too.
        let bytes = json + [UInt8](repeating: UInt8(ascii: " "), count: 200)
        let deflated = bytes.withUnsafeBytes { deflater.deflate($0).map(Array.init) }
        var text: [UInt8] = []
        Base64.encode(deflated ?? [], padded: true, into: &text)
        return text.map { digit in
            switch digit {
            case UInt8(ascii: "+"): UInt8(ascii: "*")
            case UInt8(ascii: "/"): UInt8(ascii: "-")
            case UInt8(ascii: "="): UInt8(ascii: "_")
            default: digit
            }
        }
    }

    private static func checkKey(_ text: [UInt8]) throws {
        let read: APIKey? = text.withUnsafeBytes { try? APIKey(reading: $0) }
        guard let key = read else { return }
        try require(key.matches(APIKey.digest(of: text)), "a key does not match itself")
        try require(!key.matches(APIKey.digest(of: text + [0])), "a longer key opens")
        try require(!key.matches([]), "an empty digest opens")
    }
}
