import GRPC
import Protobuf
import RelationCore
import Storage

/// A point in an app's changes, as a client carries it from one stream to the next.
///
/// It names no scope. A stream missed everything that came after the point, and the token is good
/// for a stream of another scope too. Four bytes of a digest tell a token of this app from a token
/// that was cut or belongs to another app.
///
/// It names the history of the app to which the point belongs. In another history, the same
/// position is that of another event.
enum ResumeToken {
    /// Tokens of version 1 had a position for each of 64 lanes, which no store has any more.
    private static let version: UInt8 = 3
    /// Tokens of version 2 did not name a history.
    private static let olderVersion: UInt8 = 2

    /// The most bytes of a point: the version, the history, one position for each lane, and the
    /// digest.
    static let mostBytes = headBytes + Int(Lane.count) * 9 + checkBytes
    private static let leastBytes = 1 + Int(Lane.count) + checkBytes
    static let checkBytes = 4
    private static let headBytes = 1 + MemoryLayout<UInt64>.size

    /// The most bytes of a token's text.
    static let mostTextBytes = (mostBytes * 4 + 2) / 3

    static func text(of point: FeedPoint, sign: TokenSign) -> String {
        let positions = point.all
        // Each message that goes to one stream alone has a token of its own, so this does not
        // gather bytes in arrays that grow.
        return withUnsafeTemporaryAllocation(byteCount: mostBytes, alignment: 8) { body in
            let count = positions.withUnsafeBufferPointer {
                writeBody(of: $0, in: sign.history, to: body) { _, _ in }
            }
            let check = check(UnsafeRawBufferPointer(rebasing: body[..<count]), sign.app)
            body.storeBytes(of: check.bigEndian, toByteOffset: count, as: UInt32.self)
            return Base64.text(UnsafeRawBufferPointer(rebasing: body[..<(count + checkBytes)]))
        }
    }

    /// Writes the bytes that the text stands for, up to the digest.
    ///
    /// - Parameters:
    ///   - body: Room for ``mostBytes``.
    ///   - begins: Is told of each lane, and where its bytes begin.
    /// - Returns: How many bytes there are.
    static func writeBody(
        of positions: UnsafeBufferPointer<Int64>, in history: UInt64,
        to body: UnsafeMutableRawBufferPointer, _ begins: (Int, Int) -> Void
    ) -> Int {
        var count = headBytes
        for (lane, position) in positions.enumerated() {
            begins(lane, count)
            count += write(position, to: body, at: count)
        }
        body[0] = version
        body.storeBytes(of: history.bigEndian, toByteOffset: 1, as: UInt64.self)
        return count
    }

    /// How many bytes a position takes.
    static func bytes(of position: Int64) -> Int {
        (63 - (position | 1).leadingZeroBitCount) / 7 + 1
    }

    /// Writes a position.
    ///
    /// - Returns: How many bytes it takes.
    static func write(
        _ position: Int64, to body: UnsafeMutableRawBufferPointer, at start: Int
    ) -> Int {
        var rest = UInt64(bitPattern: position)
        var count = start
        while rest >= 0x80 {
            body[count] = UInt8(truncatingIfNeeded: rest) | 0x80
            count += 1
            rest >>= 7
        }
        body[count] = UInt8(truncatingIfNeeded: rest)
        return count + 1 - start
    }

    /// The point that `text` names; nil if it is not a token of `app`.
    ///
    /// It is ``FeedPoint/nowhere`` if it belongs to another history of an app of that number.
    static func point(_ text: String, of app: App) -> FeedPoint? {
        guard text.utf8.count <= WatchLimits.tokenBytes,
            let body = Base64.decode(text, .metadata), body.count >= leastBytes
        else { return nil }
        switch body[0] {
        case version: return point(body, text, of: app)
        case olderVersion: return olderPoint(body, of: app)
        default: return nil
        }
    }

    private static func point(_ body: [UInt8], _ text: String, of app: App) -> FeedPoint? {
        guard body.count >= headBytes + Int(Lane.count) + checkBytes,
            let point = positions(of: body, after: headBytes, digestedWith: app.id)
        else { return nil }
        let history = body[1..<headBytes].reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        // A point has one spelling: the one that the server issues.
        let sign = TokenSign(app: app.id, history: history)
        guard self.text(of: point, sign: sign).isExactly(text) else { return nil }
        return sign == app.tokenSign ? point : .nowhere
    }

    /// The point of a token that a server without histories issued.
    ///
    /// Such a server changed the digest at each restore, and did not see other reasons.
    private static func olderPoint(_ body: [UInt8], of app: App) -> FeedPoint? {
        let history = app.history
        let signs = [app.id] + history.eras.map { app.id ^ $0 }
        let found = signs.lastIndex { sign in
            positions(of: body, after: 1, digestedWith: sign) != nil
        }
        guard let found else { return nil }
        guard history.keepsOlderTokens, found == signs.count - 1 else { return .nowhere }
        return positions(of: body, after: 1, digestedWith: signs[found])
    }

    /// The positions in a token; nil if it was changed, or cut.
    private static func positions(
        of body: [UInt8], after head: Int, digestedWith sign: UInt32
    ) -> FeedPoint? {
        let end = body.count - checkBytes
        let mark = body[end...].reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
        guard mark == body[..<end].withUnsafeBytes({ check($0, sign) }) else { return nil }
        var rest = body[head..<end]
        var point = FeedPoint()
        for lane in 0..<Lane.count {
            guard let position = number(&rest) else { return nil }
            point[lane] = position
        }
        return rest.isEmpty ? point : nil
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
        // Four bytes a round: each turn of the hub digests a few hundred.
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

extension FeedPoint {
    /// A point that no store reaches: a stream that continues from it gets RESYNC and the present
    /// state.
    static let nowhere = {
        var point = FeedPoint()
        point[0] = .max
        return point
    }()
}

/// The app and its history, to which the tokens of its streams belong.
struct TokenSign: Equatable {
    let app: UInt32
    let history: UInt64
}

extension App {
    var tokenSign: TokenSign { TokenSign(app: id, history: history.id) }
}
