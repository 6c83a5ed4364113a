import Compression
import HTTP2

/// How the messages of a call may be packed, by the names of gRPC.
package enum MessageEncoding: UInt8, Sendable, CaseIterable {
    case identity
    case deflate
    case gzip

    /// The encoding that a field names, or nil if it is not known here.
    init?(_ name: UnsafeRawBufferPointer) {
        switch name.count {
        case 4 where name.isEqual(to: "gzip"): self = .gzip
        case 7 where name.isEqual(to: "deflate"): self = .deflate
        case 8 where name.isEqual(to: "identity"): self = .identity
        default: return nil
        }
    }

    /// The name as it stands in `grpc-encoding`.
    package var name: StaticString {
        switch self {
        case .identity: "identity"
        case .deflate: "deflate"
        case .gzip: "gzip"
        }
    }

    /// What packs the messages, if anything does.
    var format: CompressionFormat? {
        switch self {
        case .identity: nil
        case .deflate: .zlib
        case .gzip: .gzip
        }
    }

    /// What a peer that may compress is told: all that is understood here.
    static let accepted: StaticString = "identity,deflate,gzip"

    /// Whether the list in a `grpc-accept-encoding` has this encoding.
    ///
    /// No list accepts no more than messages as they are.
    func isIn(_ list: UnsafeRawBufferPointer?) -> Bool {
        guard self != .identity else { return true }
        return list?.split(separator: UInt8(ascii: ",")).contains { part in
            let name = Metadata.trimmed(part)
            return UnsafeRawBufferPointer(rebasing: name).isEqual(to: self.name)
        } ?? false
    }
}

/// What packs and unpacks the messages of one event loop.
///
/// Made of its parts when they are first needed: most loops never see a compressed message.
///
/// - Important: Belongs to its loop.
final class MessagePacker {
    private lazy var inflater = Inflater()
    private lazy var gzip = Deflater(.gzip)
    private lazy var zlib = Deflater(.zlib)

    /// What expanding the last message took, in bytes, also if it was refused in the end.
    var unpackedBytes: Int { inflater.work }

    /// The message in `bytes`, valid until the next one is unpacked.
    ///
    /// - Throws: `INTERNAL` if the bytes are not of the encoding, `RESOURCE_EXHAUSTED` if they
    ///   expand to more than `limit`, or have too many members, which is found while they do.
    func unpack(
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

    /// The message in compressed form, valid until the next one is packed.
    ///
    /// Nil if it is short, or would not become shorter: it then goes as it is, with the flag 0.
    func pack(
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
