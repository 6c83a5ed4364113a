import GRPC
import Protobuf
import RelationCore

/// A point of the feed that moves on, with the token that names it.
///
/// Its bytes and their text are kept. They are written again when the token is asked for, and not
/// at each move: many events move a point for which one token is made. Then only what has changed
/// is written, and the digest.
///
/// Only the hub's thread uses it.
final class MovingToken {
    private static let laneCount = Int(Lane.count)

    /// The sign of the app in its tokens.
    private var sign: TokenSign
    /// The position of each lane.
    private let positions: UnsafeMutablePointer<Int64>
    /// The positions that ``body`` and ``field`` stand for, if they are laid out.
    private let written: UnsafeMutablePointer<Int64>
    /// A bit for each lane, set if it has moved since they were written.
    private var moved: UInt64 = 0
    /// Where the bytes of each lane begin in ``body``.
    private let starts: UnsafeMutablePointer<Int>
    /// The bytes that the token's text stands for.
    private let body: UnsafeMutableRawBufferPointer
    private var bodyCount = 0
    /// The encoding of a response that has nothing but the token.
    private let field: UnsafeMutableRawBufferPointer
    private var fieldCount = 0
    /// Where the text begins in ``field``.
    private var textStart = 0
    /// Whether ``body`` and ``field`` stand for positions, but for the digest.
    private var isLaidOut = false
    /// Whether the digest is that of these positions too.
    private var isDigested = false

    init(_ point: FeedPoint, sign: TokenSign) {
        self.sign = sign
        positions = .allocate(capacity: Self.laneCount)
        written = .allocate(capacity: Self.laneCount)
        written.initialize(repeating: 0, count: Self.laneCount)
        starts = .allocate(capacity: Self.laneCount)
        starts.initialize(repeating: 0, count: Self.laneCount)
        body = .allocate(byteCount: ResumeToken.mostBytes, alignment: 8)
        field = .allocate(
            byteCount: FieldWriter.headBytes + ResumeToken.mostTextBytes, alignment: 8)
        for lane in 0..<Lane.count {
            (positions + Int(lane)).initialize(to: point[lane])
        }
    }

    deinit {
        positions.deallocate()
        written.deallocate()
        starts.deallocate()
        body.deallocate()
        field.deallocate()
    }

    var point: FeedPoint {
        var point = FeedPoint()
        for lane in 0..<Lane.count { point[lane] = positions[Int(lane)] }
        return point
    }

    subscript(lane: UInt8) -> Int64 { positions[Int(lane)] }

    /// Moves one lane.
    func move(_ lane: UInt8, to position: Int64) {
        positions[Int(lane)] = position
        moved |= 1 << UInt64(lane)
    }

    /// Moves to where the other is.
    func move(to other: MovingToken) {
        for lane in 0..<Lane.count where self[lane] != other[lane] { move(lane, to: other[lane]) }
    }

    func move(to point: FeedPoint) {
        for lane in 0..<Lane.count { move(lane, to: point[lane]) }
    }

    /// Names another history of the app.
    func sign(as sign: TokenSign) {
        self.sign = sign
        isLaidOut = false
    }

    /// The encoding of a response that has nothing but the token; valid until the next move.
    var encoding: UnsafeRawBufferPointer {
        if isLaidOut, moved != 0 { writeMoved() }
        if !isLaidOut { layOut() }
        if !isDigested { digest() }
        return UnsafeRawBufferPointer(rebasing: field[..<fieldCount])
    }

    /// Writes the lanes that have moved, as far as each takes as many bytes as before.
    private func writeMoved() {
        while moved != 0 {
            let lane = moved.trailingZeroBitCount
            moved &= moved - 1
            let (before, position) = (written[lane], positions[lane])
            guard before != position else { continue }
            isDigested = false
            let count = ResumeToken.bytes(of: before)
            guard count == ResumeToken.bytes(of: position) else { return isLaidOut = false }
            written[lane] = position
            _ = ResumeToken.write(position, to: body, at: starts[lane])
            writeText(of: starts[lane]..<starts[lane] + count)
        }
    }

    private func layOut() {
        let lanes = UnsafeBufferPointer(start: positions, count: Self.laneCount)
        bodyCount = ResumeToken.writeBody(of: lanes, in: sign.history, to: body) { starts[$0] = $1 }
        let length = Base64.length(bodyCount + ResumeToken.checkBytes)
        // The room was allocated in `init`, so it has a start.
        textStart = FieldWriter.writeHead(
            WatchMessage.tokenNumber, length: length, to: field.baseAddress!)
        fieldCount = textStart + length
        writeText(of: 0..<bodyCount)
        written.update(from: positions, count: Self.laneCount)
        (moved, isLaidOut, isDigested) = (0, true, false)
    }

    private func digest() {
        let bytes = UnsafeRawBufferPointer(rebasing: body[..<bodyCount])
        let mark = ResumeToken.check(bytes, sign.app).bigEndian
        body.storeBytes(of: mark, toByteOffset: bodyCount, as: UInt32.self)
        writeText(of: bodyCount..<bodyCount + ResumeToken.checkBytes)
        isDigested = true
    }

    /// Writes the text of these bytes, and of those that share a place with them.
    private func writeText(of bytes: Range<Int>) {
        let first = bytes.lowerBound / 3
        let last = min((bytes.upperBound + 2) / 3 * 3, bodyCount + ResumeToken.checkBytes)
        let room = field[(textStart + first * 4)...]
        _ = Base64.write(
            UnsafeRawBufferPointer(rebasing: body[(first * 3)..<last]),
            to: UnsafeMutableRawBufferPointer(rebasing: room))
    }
}
