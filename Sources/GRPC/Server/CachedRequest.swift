import GRPCWire
import HTTP2
import Memory

/// The meaning of a header block that a client repeats: it was found good, so it is not looked at
/// again.
final class CachedRequest {
    /// The key under which a server's header blocks keep it.
    static let key = SlotKey<CachedRequest>(fixed: 1)

    let method: MethodEntry

    /// How the messages of the request may be compressed.
    let encoding: MessageEncoding

    /// The rest of it for a call in a protocol of the web; nil for one of gRPC.
    let web: WebRequest?

    /// See ``ServerCall/headerSlot``.
    @exclusivity(unchecked) var slot = Slot()

    init(_ method: MethodEntry, _ encoding: MessageEncoding, _ web: WebRequest? = nil) {
        self.web = web
        self.method = method
        self.encoding = encoding
    }
}

extension Stream {
    /// The meaning of the header block, if such a header block was found good before; it lives as
    /// long as the stream has the header block.
    var knownRequest: Unmanaged<CachedRequest>? {
        known?._withUnsafeGuaranteedRef { $0.unretainedSlot[CachedRequest.key] }
    }
}
