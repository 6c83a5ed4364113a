import Compression
import HTTP2
package import RPC

/// How the messages of a call may be compressed, by the names of gRPC.
@usableFromInline package enum MessageEncoding: UInt8, Sendable, CaseIterable {
    case identity
    case deflate
    case gzip

    /// The encoding with that name in any mix of cases, or nil if it is not supported here.
    ///
    /// HTTP has a second name for gzip.
    package init?(_ name: UnsafeRawBufferPointer) {
        switch name.count {
        case 4 where name.isEqual(ignoringCase: "gzip"): self = .gzip
        case 6 where name.isEqual(ignoringCase: "x-gzip"): self = .gzip
        case 7 where name.isEqual(ignoringCase: "deflate"): self = .deflate
        case 8 where name.isEqual(ignoringCase: "identity"): self = .identity
        default: return nil
        }
    }

    /// The name in `grpc-encoding`.
    package var name: StaticString {
        switch self {
        case .identity: "identity"
        case .deflate: "deflate"
        case .gzip: "gzip"
        }
    }

    /// The format of compressed messages; nil if messages are not compressed.
    var format: CompressionFormat? {
        switch self {
        case .identity: nil
        case .deflate: .zlib
        case .gzip: .gzip
        }
    }

    /// The value of `grpc-accept-encoding` for a peer that may compress: all encodings that are
    /// supported here.
    package static let accepted: StaticString = "identity,deflate,gzip"

    /// Whether the list in a `grpc-accept-encoding`, or in an `accept-encoding` of HTTP, has this
    /// encoding; `identity` is always accepted.
    ///
    /// A peer without the list accepts only what is not compressed. A name with a weight (`;q=`) is
    /// passed over.
    package func isIn(_ list: UnsafeRawBufferPointer?) -> Bool {
        guard self != .identity else { return true }
        return list?.split(separator: UInt8(ascii: ",")).contains { part in
            MessageEncoding(UnsafeRawBufferPointer(rebasing: Metadata.trimmed(part))) == self
        } ?? false
    }
}

/// Compresses and expands the messages of one event loop.
///
/// Its parts are made when they are first needed: most loops never see a compressed message.
///
/// - Important: Use it on its loop only.
package final class MessagePacker {
    private lazy var inflater = Inflater()
    private lazy var gzip = Deflater(.gzip)
    private lazy var zlib = Deflater(.zlib)

    package init() {}

    /// The bytes that expanding the last message produced, even if the message was refused in the
    /// end.
    package var unpackedBytes: Int { inflater.work }

    /// Expands the message in `bytes`; the result is valid until the next message is expanded.
    ///
    /// - Throws: `INTERNAL` if the bytes are not valid in the encoding; `RESOURCE_EXHAUSTED` as
    ///   soon as they have expanded to more than `limit`, or have had too many members.
    package func unpack(
        _ bytes: UnsafeRawBufferPointer, _ encoding: MessageEncoding, limit: Int
    ) throws(RPCError) -> UnsafeRawBufferPointer {
        guard let format = encoding.format else { return bytes }
        do throws(InflateError) {
            inflater.trim(to: CallLimits.keptOutputBytes)
            return try inflater.inflate(bytes, format, limit: limit)
        } catch {
            switch error {
            case .malformed:
                throw RPCError(.internalError, "a message is not valid \(encoding.name)")
            case .tooManyMembers:
                throw RPCError(
                    .resourceExhausted,
                    "a compressed message has more than \(CompressionLimits.gzipMembers) members")
            case .tooLong:
                throw RPCError(
                    .resourceExhausted, "a compressed message is longer than \(limit) bytes")
            }
        }
    }

    /// Compresses `message`; the result is valid until the next message is compressed.
    ///
    /// Returns nil if the message is short, or would not become shorter: it is then sent
    /// uncompressed, with the flag 0.
    package func pack(
        _ message: UnsafeRawBufferPointer, _ encoding: MessageEncoding
    ) -> UnsafeRawBufferPointer? {
        guard message.count >= CallLimits.compressibleBytes else { return nil }
        let deflater =
            switch encoding {
            case .identity: Deflater?.none
            case .deflate: zlib
            case .gzip: gzip
            }
        deflater?.trim(to: CallLimits.keptOutputBytes)
        return deflater?.deflate(message)
    }
}
