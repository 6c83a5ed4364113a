import HTTP2

/// The meaning of a header block that a client repeats: it was found good, so it is not looked at
/// again.
final class CachedRequest {
    let method: MethodEntry

    /// How the messages of the request may be compressed.
    let encoding: MessageEncoding

    /// The rest of it for a call in a protocol of the web; nil for one of gRPC.
    let web: WebRequest?

    /// See ``ServerCall/recognition``.
    @exclusivity(unchecked) var recognition: AnyObject?

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
        guard let meaning = known?._withUnsafeGuaranteedRef({ $0.heldMeaning }) else { return nil }
        // The call layer of a server gives header blocks no other meaning.
        return Unmanaged.fromOpaque(meaning.toOpaque())
    }
}

extension ServerCall {
    /// The finding of the layer above about the header block of the call: it is there again when a
    /// call of the same connection repeats the header block.
    ///
    /// Nil as well if the header block is not remembered.
    package var recognition: AnyObject? {
        // The call's stream has the header block.
        get { stream?.pointee.knownRequest?._withUnsafeGuaranteedRef { $0.recognition } }
        set { stream?.pointee.knownRequest?._withUnsafeGuaranteedRef { $0.recognition = newValue } }
    }
}

extension ServerCall {
    /// The object that the method of the call keeps on this loop, for the calls to come.
    ///
    /// The server of the method decides about its type.
    package var kept: AnyObject? {
        get { methodIndex.flatMap { index in onLoop { $0.kept[index] } } }
        set { if let methodIndex { loop.kept[methodIndex] = newValue } }
    }
}
