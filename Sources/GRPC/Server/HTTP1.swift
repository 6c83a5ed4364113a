/// The one thing that is said in HTTP/1: that it is not spoken here.
enum HTTP1 {
    static let refusal = """
        HTTP/1.1 400 Bad Request\r
        connection: close\r
        content-type: text/plain\r
        content-length: 33\r
        \r
        This port speaks HTTP/2 (gRPC).\r

        """

    /// Whether bytes begin with the line of a request: `METHOD target HTTP/1.`.
    ///
    /// Other protocols have words for their beginning too, and no use for an answer in this one.
    static func begins(_ bytes: some Sequence<UInt8>) -> Bool {
        var bytes = bytes.makeIterator()
        guard skipWord(of: isMethodByte, in: &bytes), skipWord(of: isTargetByte, in: &bytes)
        else { return false }
        for byte in "HTTP/1.".utf8 where bytes.next() != byte { return false }
        return true
    }

    /// Goes over a word of one byte or more, and the space behind it.
    private static func skipWord(
        of isPart: (UInt8) -> Bool, in bytes: inout some IteratorProtocol<UInt8>
    ) -> Bool {
        guard let first = bytes.next(), isPart(first) else { return false }
        while let byte = bytes.next() {
            if byte == UInt8(ascii: " ") { return true }
            guard isPart(byte) else { return false }
        }
        return false
    }

    /// All methods that are registered have capital letters and hyphens.
    private static func isMethodByte(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) || byte == UInt8(ascii: "-")
    }

    private static func isTargetByte(_ byte: UInt8) -> Bool { (0x21...0x7E).contains(byte) }
}
