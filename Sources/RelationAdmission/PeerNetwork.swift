/// Where the address of a peer lies, which is all that an audit and a history keep of it.
enum PeerNetwork {
    /// `loopback`, `private`, `public` or `socket`; empty for a text that is not an address.
    ///
    /// - Parameter peer: An address with its port, or `unix:PATH`.
    static func name(of peer: String) -> String {
        // By bytes, because each write with a history asks for its address.
        if peer.utf8.starts(with: "unix".utf8) { return "socket" }
        if peer.utf8.first == UInt8(ascii: "[") {
            return name(ofNew: peer.dropFirst().prefix { $0 != "]" })
        }
        return name(ofOld: Substring(peer.utf8.prefix { $0 != UInt8(ascii: ":") }))
    }

    private static func name(ofOld text: Substring) -> String {
        // Numbers as they come, for the same reason.
        var (first, second) = (0, 0)
        var (number, count, digits) = (0, 0, 0)
        for byte in text.utf8 {
            if byte == UInt8(ascii: ".") {
                guard digits > 0, count < 3 else { return "" }
                if count == 0 { first = number }
                if count == 1 { second = number }
                (count, number, digits) = (count + 1, 0, 0)
            } else {
                guard (48...57).contains(byte) else { return "" }
                (number, digits) = (number * 10 + Int(byte) - 48, digits + 1)
                guard number <= 255 else { return "" }
            }
        }
        guard count == 3, digits > 0 else { return "" }
        switch (first, second) {
        case (127, _): return "loopback"
        case (10, _), (172, 16...31), (192, 168), (169, 254), (100, 64...127): return "private"
        default: return "public"
        }
    }

    private static func name(ofNew text: Substring) -> String {
        let text = text.lowercased()
        guard text.contains(":") else { return "" }
        if text == "::1" { return "loopback" }
        // A socket of both versions shows an address of IPv4 like this.
        let mapped = "::ffff:"
        if text.hasPrefix(mapped) {
            return name(ofOld: Substring(text.dropFirst(mapped.count)))
        }
        let isPrivate = ["fc", "fd", "fe8", "fe9", "fea", "feb"].contains { text.hasPrefix($0) }
        return isPrivate ? "private" : "public"
    }
}
