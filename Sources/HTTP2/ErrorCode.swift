/// The reason for which a stream or a connection ended (RFC 9113, section 7).
///
/// The type is open, because a peer may send a number that no specification knows.
package struct ErrorCode: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    package static let noError = ErrorCode(rawValue: 0x0)
    package static let protocolError = ErrorCode(rawValue: 0x1)
    package static let internalError = ErrorCode(rawValue: 0x2)
    package static let flowControlError = ErrorCode(rawValue: 0x3)
    package static let settingsTimeout = ErrorCode(rawValue: 0x4)
    package static let streamClosed = ErrorCode(rawValue: 0x5)
    package static let frameSizeError = ErrorCode(rawValue: 0x6)
    package static let refusedStream = ErrorCode(rawValue: 0x7)
    package static let cancel = ErrorCode(rawValue: 0x8)
    package static let compressionError = ErrorCode(rawValue: 0x9)
    package static let connectError = ErrorCode(rawValue: 0xa)
    package static let enhanceYourCalm = ErrorCode(rawValue: 0xb)
    package static let inadequateSecurity = ErrorCode(rawValue: 0xc)
    package static let http11Required = ErrorCode(rawValue: 0xd)
}

extension ErrorCode {
    /// The word for it in the log, for codes with which nghttp2 ends a connection.
    var word: StaticString {
        switch self {
        case .protocolError: "protocol_error"
        case .flowControlError: "flow_control_error"
        case .settingsTimeout: "settings_timeout"
        case .streamClosed: "stream_closed"
        case .frameSizeError: "frame_size_error"
        case .compressionError: "compression_error"
        case .enhanceYourCalm: "enhance_your_calm"
        default: "other_error"
        }
    }
}
