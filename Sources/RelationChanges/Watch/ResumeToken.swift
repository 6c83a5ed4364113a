import GRPC
import Memory
import Protobuf
import RPC
package import RelationCore
import Storage

/// A position in an app's feed, as a client carries it from one stream to the next.
///
/// It names no scope. A stream missed everything that came after the position, and the token is
/// good for a stream of another scope too. Four bytes of a digest distinguish a token of this app
/// from a token that was cut or belongs to another app.
///
/// It names the history of the app to which the position belongs. In another history, the same
/// position is that of another event.
package enum ResumeToken {
    /// Tokens of version 1 had 64 positions, and no store has such a feed any more.
    private static let version: UInt8 = 3
    /// Tokens of version 2 did not name a history.
    private static let olderVersion: UInt8 = 2

    /// A position that no feed reaches: a stream that continues from it gets RESYNC and the present
    /// state.
    package static let nowhere = Int64.max

    /// The most bytes of a token: the version, the history, the position, and the digest.
    private static let mostBytes = headerBytes + 9 + checkBytes
    private static let leastBytes = 1 + 1 + checkBytes
    private static let checkBytes = 4
    private static let headerBytes = 1 + MemoryLayout<UInt64>.size

    /// The most bytes of a token's text.
    static let mostTextBytes = (mostBytes * 4 + 2) / 3

    package static func text(of position: Int64, sign: TokenSign) -> String {
        withBytes(of: position, sign: sign) { Base64.text($0) }
    }

    /// Calls `body` with the bytes that the text stands for.
    ///
    /// Each message that goes to one stream alone has a token of its own, so this does not gather
    /// bytes in arrays that grow.
    static func withBytes<Result>(
        of position: Int64, sign: TokenSign, _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        withUnsafeTemporaryAllocation(byteCount: mostBytes, alignment: 8) { bytes in
            bytes[0] = version
            bytes.storeBytes(of: sign.history.bigEndian, toByteOffset: 1, as: UInt64.self)
            var end = headerBytes
            var rest = UInt64(bitPattern: position)
            while rest >= 0x80 {
                bytes[end] = UInt8(truncatingIfNeeded: rest) | 0x80
                end += 1
                rest >>= 7
            }
            bytes[end] = UInt8(truncatingIfNeeded: rest)
            end += 1
            let check = check(UnsafeRawBufferPointer(rebasing: bytes[..<end]), sign.app)
            bytes.storeBytes(of: check.bigEndian, toByteOffset: end, as: UInt32.self)
            return body(UnsafeRawBufferPointer(rebasing: bytes[..<(end + checkBytes)]))
        }
    }

    /// The position that `text` names; nil if it is not a token of `app`.
    ///
    /// It is ``nowhere`` if it belongs to another history of an app of that number.
    package static func position(_ text: String, of app: App) -> Int64? {
        guard text.utf8.count <= WatchLimits.tokenBytes,
            let bytes = Base64.decode(text, .metadata), bytes.count >= leastBytes
        else { return nil }
        switch bytes[0] {
        case version: return position(bytes, text, of: app)
        case olderVersion: return olderPosition(bytes, of: app)
        default: return nil
        }
    }

    private static func position(_ bytes: [UInt8], _ text: String, of app: App) -> Int64? {
        guard bytes.count > headerBytes + checkBytes,
            let position = position(in: bytes, after: headerBytes, digestedWith: app.id)
        else { return nil }
        let history = bytes[1..<headerBytes].reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        // A position has one spelling: the one that the server issues.
        let sign = TokenSign(app: app.id, history: history)
        guard self.text(of: position, sign: sign).isExactly(text) else { return nil }
        return sign == app.tokenSign ? position : nowhere
    }

    /// The position of a token that a server without histories issued.
    ///
    /// Such a server changed the digest at each restore, and did not see other reasons.
    private static func olderPosition(_ bytes: [UInt8], of app: App) -> Int64? {
        let history = app.history
        let signs = [app.id] + history.eras.map { app.id ^ $0 }
        let found = signs.lastIndex { sign in
            position(in: bytes, after: 1, digestedWith: sign) != nil
        }
        guard let found else { return nil }
        guard history.keepsOlderTokens, found == signs.count - 1 else { return nowhere }
        return position(in: bytes, after: 1, digestedWith: signs[found])
    }

    /// The position in a token; nil if it was changed, or cut.
    private static func position(
        in bytes: [UInt8], after start: Int, digestedWith sign: UInt32
    ) -> Int64? {
        let end = bytes.count - checkBytes
        let mark = bytes[end...].reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
        guard mark == bytes[..<end].withUnsafeBytes({ check($0, sign) }) else { return nil }
        var rest = bytes[start..<end]
        guard let position = number(&rest), rest.isEmpty else { return nil }
        return position
    }

    private static func number(_ bytes: inout ArraySlice<UInt8>) -> Int64? {
        var value: UInt64 = 0
        for shift in stride(from: 0 as UInt64, to: 63, by: 7) {
            guard let byte = bytes.popFirst() else { return nil }
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return Int64(value) }
        }
        return nil
    }

    /// FNV-1a, which finds a token that an honest client damaged; a forged token gains a client
    /// nothing.
    static func check(_ bytes: UnsafeRawBufferPointer, _ sign: UInt32) -> UInt32 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325 ^ UInt64(sign)
        let prime: UInt64 = 0x0000_0100_0000_01b3
        var next = 0
        // Four bytes a round: each pass of the hub digests a few hundred.
        while next + 4 <= bytes.count {
            hash = (hash ^ UInt64(bytes[next])) &* prime
            hash = (hash ^ UInt64(bytes[next + 1])) &* prime
            hash = (hash ^ UInt64(bytes[next + 2])) &* prime
            hash = (hash ^ UInt64(bytes[next + 3])) &* prime
            next += 4
        }
        while next < bytes.count {
            hash = (hash ^ UInt64(bytes[next])) &* prime
            next += 1
        }
        return UInt32(truncatingIfNeeded: hash >> 32 ^ hash)
    }
}

extension ResumeToken {
    /// The token of the position that a consumer has; empty if it begins with the present state.
    package static func text(of record: ConsumerRecord, app: App) -> String {
        guard !record.beginsWithState else { return "" }
        return text(
            of: record.position, sign: TokenSign(app: app.id, history: record.historyID))
    }
}

/// The app and its history, to which the tokens of its streams belong.
package struct TokenSign: Equatable {
    let app: UInt32
    let history: UInt64
}

extension App {
    package var tokenSign: TokenSign { TokenSign(app: id, history: history.id) }
}
