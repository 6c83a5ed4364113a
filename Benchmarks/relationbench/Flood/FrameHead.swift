/// The nine bytes before every HTTP/2 frame's payload (RFC 9113, section 4.1).
struct FrameHead: Equatable {
    static let byteCount = 9

    var length: Int
    var kind: FrameKind
    var flags: UInt8
    var stream: UInt32
}

/// The kind of a frame.
///
/// It is open, because a peer may send kinds that we must skip.
struct FrameKind: Equatable {
    let code: UInt8

    static let data = FrameKind(code: 0)
    static let headers = FrameKind(code: 1)
    static let resetStream = FrameKind(code: 3)
    static let settings = FrameKind(code: 4)
    static let ping = FrameKind(code: 6)
    static let goAway = FrameKind(code: 7)
    static let windowUpdate = FrameKind(code: 8)
    static let continuation = FrameKind(code: 9)
}

/// The flags that we send or read; their meaning depends on the kind of frame.
enum FrameFlags {
    static let acknowledge: UInt8 = 0x1
    static let endStream: UInt8 = 0x1
    static let endHeaders: UInt8 = 0x4
    static let padded: UInt8 = 0x8
    static let priority: UInt8 = 0x20
}

/// The entries of a SETTINGS frame that matter to a client (RFC 9113, section 6.5.2).
enum SettingCode {
    static let headerTableBytes: UInt16 = 1
    static let enablePush: UInt16 = 2
    static let concurrentStreams: UInt16 = 3
    static let initialWindowBytes: UInt16 = 4
}

extension [UInt8] {
    mutating func append(frame head: FrameHead) {
        append(UInt8(truncatingIfNeeded: head.length >> 16))
        append(UInt8(truncatingIfNeeded: head.length >> 8))
        append(UInt8(truncatingIfNeeded: head.length))
        append(head.kind.code)
        append(head.flags)
        append(bigEndian: head.stream)
    }

    mutating func append(bigEndian value: UInt32) {
        append(UInt8(truncatingIfNeeded: value >> 24))
        append(UInt8(truncatingIfNeeded: value >> 16))
        append(UInt8(truncatingIfNeeded: value >> 8))
        append(UInt8(truncatingIfNeeded: value))
    }

    mutating func append(setting code: UInt16, _ value: UInt32) {
        append(UInt8(truncatingIfNeeded: code >> 8))
        append(UInt8(truncatingIfNeeded: code))
        append(bigEndian: value)
    }

    /// Writes `value` over the four bytes at `index`.
    mutating func patch(bigEndian value: UInt32, at index: Int) {
        self[index] = UInt8(truncatingIfNeeded: value >> 24)
        self[index + 1] = UInt8(truncatingIfNeeded: value >> 16)
        self[index + 2] = UInt8(truncatingIfNeeded: value >> 8)
        self[index + 3] = UInt8(truncatingIfNeeded: value)
    }

    func uint32(at index: Int) -> UInt32 {
        UInt32(self[index]) << 24 | UInt32(self[index + 1]) << 16
            | UInt32(self[index + 2]) << 8 | UInt32(self[index + 3])
    }
}
