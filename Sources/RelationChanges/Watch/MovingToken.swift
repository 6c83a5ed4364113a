import GRPC
import Protobuf
import RelationCore

/// A point of the feed that moves on, with the token that names it.
///
/// Its bytes and their text are kept, and a move writes again only what it changes. The digest
/// alone is made anew each time.
///
/// Only the hub's thread uses it.
final class MovingToken {
    private static let laneCount = Int(Lane.count)

    private let app: UInt32
    /// The position of each lane.
    private let positions: UnsafeMutablePointer<Int64>
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
    /// Whether ``body`` and ``field`` stand for the positions, but for the digest.
    private var isLaidOut = false
    /// Whether the digest is that of the positions too.
    private var isDigested = false

    init(_ point: FeedPoint, app: UInt32) {
        self.app = app
        positions = .allocate(capacity: Self.laneCount)
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
        starts.deallocate()
        body.deallocate()
        field.deallocate()
    }

    var point: FeedPoint {
        FeedPoint(Array(UnsafeBufferPointer(start: positions, count: Self.laneCount)))
    }

    subscript(lane: UInt8) -> Int64 { positions[Int(lane)] }

    /// Moves one lane.
    func move(_ lane: UInt8, to position: Int64) {
        let lane = Int(lane)
        let before = positions[lane]
        guard before != position else { return }
        positions[lane] = position
        isDigested = false
        guard isLaidOut else { return }
        let count = ResumeToken.bytes(of: before)
        guard count == ResumeToken.bytes(of: position) else {
            return isLaidOut = false
        }
        _ = ResumeToken.write(position, to: body, at: starts[lane])
        writeText(of: starts[lane]..<starts[lane] + count)
    }

    /// Moves to where the other is.
    func move(to other: MovingToken) {
        for lane in 0..<Lane.count where self[lane] != other[lane] { move(lane, to: other[lane]) }
    }

    func move(to point: FeedPoint) {
        for lane in 0..<Lane.count { move(lane, to: point[lane]) }
    }

    /// The encoding of a response that has nothing but the token; valid until the next move.
    var encoding: UnsafeRawBufferPointer {
        if !isLaidOut { layOut() }
        if !isDigested { digest() }
        return UnsafeRawBufferPointer(rebasing: field[..<fieldCount])
    }

    private func layOut() {
        let lanes = UnsafeBufferPointer(start: positions, count: Self.laneCount)
        bodyCount = ResumeToken.writeBody(of: lanes, to: body) { starts[$0] = $1 }
        let length = Base64.length(bodyCount + ResumeToken.checkBytes)
        // The room was allocated in `init`, so it has a start.
        textStart = FieldWriter.writeHead(
            WatchMessage.tokenNumber, length: length, to: field.baseAddress!)
        fieldCount = textStart + length
        writeText(of: 0..<bodyCount)
        (isLaidOut, isDigested) = (true, false)
    }

    private func digest() {
        let bytes = UnsafeRawBufferPointer(rebasing: body[..<bodyCount])
        let mark = ResumeToken.check(bytes, app).bigEndian
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
