/// The only answer in HTTP/1: it says that this port does not speak HTTP/1.
enum HTTP1 {
    static let refusal = """
        HTTP/1.1 400 Bad Request\r
        connection: close\r
        content-type: text/plain\r
        content-length: 33\r
        \r
        This port speaks HTTP/2 (gRPC).\r

        """

    /// Whether bytes begin with the request line of HTTP/1: `METHOD target HTTP/1.`.
    ///
    /// Other protocols may begin with words too, and cannot use an answer in HTTP/1.
    static func begins(_ bytes: some Sequence<UInt8>) -> Bool {
        var bytes = bytes.makeIterator()
        guard skipWord(of: isMethodByte, in: &bytes), skipWord(of: isTargetByte, in: &bytes)
        else { return false }
        for byte in "HTTP/1.".utf8 where bytes.next() != byte { return false }
        return true
    }

    /// Skips a word of one byte or more, and the space after it.
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

    /// All registered methods have only capital letters and hyphens.
    private static func isMethodByte(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) || byte == UInt8(ascii: "-")
    }

    private static func isTargetByte(_ byte: UInt8) -> Bool { (0x21...0x7E).contains(byte) }
}
