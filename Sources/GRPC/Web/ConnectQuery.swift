import GRPCWire
import HTTP2
import Memory
import Protobuf
import RPC

/// The query of a Connect `GET`, which holds a whole request.
struct ConnectQuery {
    let content: WebContent
    let message: [UInt8]
    let encoding: MessageEncoding

    /// - Parameter query: The part of the target after the question mark.
    /// - Throws: `INVALID_ARGUMENT` if a parameter is missing or malformed, or comes twice;
    ///   `UNIMPLEMENTED` for a form or a packing that is not known here.
    init(_ query: UnsafeRawBufferPointer) throws(RPCError) {
        var values: [String: [UInt8]] = [:]
        for pair in query.split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(decoding: try Self.decoded(parts[0]), as: UTF8.self)
            guard values[name] == nil else {
                throw RPCError(.invalidArgument, "the query names \(name.prefix(32)) twice")
            }
            values[name] = parts.count > 1 ? try Self.decoded(parts[1]) : []
        }
        func text(_ name: String) -> String? {
            values[name].map { String(decoding: $0, as: UTF8.self) }
        }
        if let version = text("connect"), version != "v1" {
            throw RPCError(.invalidArgument, "the query's connect is not v1")
        }
        switch text("encoding") {
        case "json": content = .getJSON
        case "proto": content = .getProtobuf
        case nil:
            throw RPCError(.invalidArgument, "the query has no encoding: json or proto")
        case let name?:
            throw RPCError(
                .unimplemented, "the query's encoding \(name.prefix(32)) is not json or proto")
        }
        let name = values["compression"] ?? Array("identity".utf8)
        guard let encoding = name.withUnsafeBytes({ MessageEncoding($0) }) else {
            throw RPCError(
                .unimplemented, "the query's compression is none of \(MessageEncoding.accepted)")
        }
        self.encoding = encoding
        guard let message = values["message"] else {
            throw RPCError(.invalidArgument, "the query has no message")
        }
        switch text("base64") {
        case nil, "0": self.message = message
        case "1":
            let bytes = message.withUnsafeBytes { Base64.decode($0, .urlQuery) }
            guard let bytes else {
                throw RPCError(.invalidArgument, "the query's message is not base64")
            }
            self.message = bytes
        default: throw RPCError(.invalidArgument, "the query's base64 is not 1")
        }
    }

    /// The bytes that percent signs and digits stand for; a plus sign is a blank.
    private static func decoded(
        _ text: Slice<UnsafeRawBufferPointer>
    ) throws(RPCError) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var next = text.startIndex
        while next < text.endIndex {
            switch text[next] {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard next + 2 < text.endIndex, let high = PercentCoding.number(text[next + 1]),
                    let low = PercentCoding.number(text[next + 2])
                else { throw RPCError(.invalidArgument, "the query has a malformed % sequence") }
                bytes.append(high << 4 | low)
                next += 2
            case let byte: bytes.append(byte)
            }
            next += 1
        }
        return bytes
    }
}

extension Base64.Spelling {
    /// The alphabet for addresses, or the usual one, with or without padding.
    static let urlQuery = Base64.Spelling(
        lastDigits: "+/-_", needsPadding: false, allowsLooseBits: true)
}
