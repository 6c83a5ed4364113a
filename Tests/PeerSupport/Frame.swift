/// One HTTP/2 frame as it stands on the wire, to be made or read without any library.
package struct Frame: Equatable, Sendable, CustomStringConvertible {
    package enum Kind: UInt8, Sendable {
        case data = 0
        case headers = 1
        case priority = 2
        case resetStream = 3
        case settings = 4
        case pushPromise = 5
        case ping = 6
        case goAway = 7
        case windowUpdate = 8
        case continuation = 9
    }

    package static let endStream: UInt8 = 1
    package static let acknowledgement: UInt8 = 1
    package static let endHeaders: UInt8 = 4

    package var type: UInt8
    package var flags: UInt8
    package var stream: UInt32
    package var payload: [UInt8]

    package init(type: UInt8, flags: UInt8 = 0, stream: UInt32 = 0, payload: [UInt8] = []) {
        self.type = type
        self.flags = flags
        self.stream = stream
        self.payload = payload
    }

    package init(_ kind: Kind, flags: UInt8 = 0, stream: UInt32 = 0, payload: [UInt8] = []) {
        self.init(type: kind.rawValue, flags: flags, stream: stream, payload: payload)
    }

    package var kind: Kind? { Kind(rawValue: type) }

    package var bytes: [UInt8] {
        let length = payload.count
        return [UInt8(length >> 16 & 255), UInt8(length >> 8 & 255), UInt8(length & 255)]
            + [type, flags] + Self.bigEndian(stream) + payload
    }

    package var description: String {
        "\(kind.map { "\($0)" } ?? "type \(type)") flags \(flags) stream \(stream) \(payload)"
    }

    // MARK: - Frames that tests send

    /// The first bytes of a client, with settings that change nothing.
    package static let preface =
        Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
        + Frame(.settings).bytes

    package static func headers(
        _ stream: UInt32, _ fields: [(String, String)], end: Bool = true
    ) -> Frame {
        Frame(
            .headers, flags: endHeaders | (end ? endStream : 0), stream: stream,
            payload: block(fields))
    }

    package static func data(_ stream: UInt32, _ bytes: [UInt8], end: Bool = false) -> Frame {
        Frame(.data, flags: end ? endStream : 0, stream: stream, payload: bytes)
    }

    package static func reset(_ stream: UInt32, _ code: UInt32 = 8) -> Frame {
        Frame(.resetStream, stream: stream, payload: bigEndian(code))
    }

    package static func ping(_ number: UInt8 = 0) -> Frame {
        Frame(.ping, payload: [UInt8](repeating: number, count: 8))
    }

    /// A header block of literals that go into no table.
    package static func block(_ fields: [(String, String)]) -> [UInt8] {
        var block: [UInt8] = []
        for (name, value) in fields {
            block.append(0x10)
            for text in [name, value] {
                let bytes = Array(text.utf8)
                block += integer(bytes.count) + bytes
            }
        }
        return block
    }

    /// A number with a prefix of seven bits (RFC 7541, section 5.1).
    private static func integer(_ number: Int) -> [UInt8] {
        guard number >= 127 else { return [UInt8(number)] }
        var bytes: [UInt8] = [127]
        var rest = number - 127
        while rest >= 128 {
            bytes.append(UInt8(rest & 127) | 128)
            rest >>= 7
        }
        return bytes + [UInt8(rest)]
    }

    package static func bigEndian(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(number >> $0 & 255) }
    }

    // MARK: - Frames that tests read

    /// The frames in `bytes`, which end with a whole frame.
    package static func read(_ bytes: [UInt8]) -> [Frame] {
        var frames: [Frame] = []
        var offset = 0
        while offset + 9 <= bytes.count {
            let length =
                Int(bytes[offset]) << 16 | Int(bytes[offset + 1]) << 8 | Int(bytes[offset + 2])
            let end = offset + 9 + length
            precondition(end <= bytes.count, "the last frame is cut off")
            frames.append(
                Frame(
                    type: bytes[offset + 3], flags: bytes[offset + 4],
                    stream: number(bytes[(offset + 5)..<(offset + 9)]) & 0x7FFF_FFFF,
                    payload: Array(bytes[(offset + 9)..<end])))
            offset = end
        }
        return frames
    }

    package static func number(_ bytes: some Sequence<UInt8>) -> UInt32 {
        bytes.reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// The error code of a `GOAWAY` or of a reset.
    package var errorCode: UInt32? {
        switch kind {
        case .goAway: Self.number(payload[4..<8])
        case .resetStream: Self.number(payload)
        default: nil
        }
    }

    /// The last stream that a `GOAWAY` names.
    package var lastStream: UInt32? {
        kind == .goAway ? Self.number(payload[0..<4]) : nil
    }

    /// The words after the error code of a `GOAWAY`.
    package var debugText: String {
        kind == .goAway ? String(decoding: payload.dropFirst(8), as: UTF8.self) : ""
    }

    /// The entries of a `SETTINGS` frame.
    package var settings: [UInt16: UInt32] {
        var entries: [UInt16: UInt32] = [:]
        for start in stride(from: 0, to: payload.count - 5, by: 6) {
            let name = UInt16(Self.number(payload[start..<(start + 2)]))
            entries[name] = Self.number(payload[(start + 2)..<(start + 6)])
        }
        return entries
    }
}
