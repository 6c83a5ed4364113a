import Memory
import Protobuf

/// A position of a feed that moves on, with the token that names it.
///
/// The token's bytes are kept. They are written again when the token is asked for, and not at each
/// move: many events move a position for which one token is made.
///
/// Only the hub's thread uses it.
final class MovingToken {
    @exclusivity(unchecked) private(set) var position: Int64
    /// The sign of the app in its tokens.
    private var sign: TokenSign
    /// The encoding of a response that has nothing but the token.
    private let field: UnsafeMutableRawBufferPointer
    @exclusivity(unchecked) private var fieldCount = 0
    /// Whether ``field`` is that of the position and the sign.
    @exclusivity(unchecked) private var isWritten = false

    init(_ position: Int64, sign: TokenSign) {
        self.position = position
        self.sign = sign
        field = .allocate(
            byteCount: FieldWriter.headerBytes + ResumeToken.mostTextBytes, alignment: 8)
    }

    deinit {
        field.deallocate()
    }

    func move(to position: Int64) {
        guard position != self.position else { return }
        self.position = position
        isWritten = false
    }

    /// Names another history of the app.
    func sign(as sign: TokenSign) {
        self.sign = sign
        isWritten = false
    }

    /// The token; its encoding is valid until the next move.
    var token: WatchToken {
        if !isWritten { write() }
        return WatchToken(
            position: position, encoding: UnsafeRawBufferPointer(rebasing: field[..<fieldCount]))
    }

    private func write() {
        ResumeToken.withBytes(of: position, sign: sign) { bytes in
            let length = Base64.length(bytes.count)
            // The room was allocated in `init`, so it has a start.
            let start = FieldWriter.writeHeader(
                WatchMessage.tokenNumber, length: length, to: field.baseAddress!)
            _ = Base64.write(bytes, to: UnsafeMutableRawBufferPointer(rebasing: field[start...]))
            fieldCount = start + length
        }
        isWritten = true
    }
}
