import GRPC
import Protobuf
import RelationCore
import Storage

/// A point in an app's changes, as a client carries it from one stream to the next.
///
/// It names no scope. A stream missed everything that came after the point, and the token is good
/// for a stream of another scope too. Four bytes of a digest tell a token of this app from a token
/// that was cut or belongs to another app.
enum ResumeToken {
    /// Tokens of version 1 had a position for each of 64 lanes, which no store has any more.
    private static let version: UInt8 = 2

    /// The most bytes of a point: the version, one position for each lane, and the digest.
    static let mostBytes = 1 + Int(Lane.count) * 9 + checkBytes
    private static let leastBytes = 1 + Int(Lane.count) + checkBytes
    static let checkBytes = 4

    /// The most bytes of a token's text.
    static let mostTextBytes = (mostBytes * 4 + 2) / 3

    static func text(of point: FeedPoint, sign: UInt32) -> String {
        let positions = point.all
        // Each message that goes to one stream alone has a token of its own, so this does not
        // gather bytes in arrays that grow.
        return withUnsafeTemporaryAllocation(byteCount: mostBytes, alignment: 8) { body in
            let count = positions.withUnsafeBufferPointer {
                writeBody(of: $0, to: body) { _, _ in }
            }
            let check = check(UnsafeRawBufferPointer(rebasing: body[..<count]), sign)
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
        of positions: UnsafeBufferPointer<Int64>, to body: UnsafeMutableRawBufferPointer,
        _ begins: (Int, Int) -> Void
    ) -> Int {
        var count = 1
        for (lane, position) in positions.enumerated() {
            begins(lane, count)
            count += write(position, to: body, at: count)
        }
        body[0] = version
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

    /// The point that `text` names; nil if it is not a token with the sign of the app.
    static func point(_ text: String, sign: UInt32) -> FeedPoint? {
        guard text.utf8.count <= WatchLimits.tokenBytes,
            let body = Base64.decode(text, .metadata), body.count >= leastBytes, body[0] == version
        else { return nil }
        let end = body.count - checkBytes
        let mark = body[end...].reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
        guard mark == body[..<end].withUnsafeBytes({ check($0, sign) }) else { return nil }
        var rest = body[1..<end]
        var point = FeedPoint()
        for lane in 0..<Lane.count {
            guard let position = number(&rest) else { return nil }
            point[lane] = position
        }
        // A point has one spelling: the one that the server issues.
        return rest.isEmpty && self.text(of: point, sign: sign).isExactly(text) ? point : nil
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
