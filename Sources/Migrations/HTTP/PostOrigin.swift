/// A scheme, a host and a port.
package struct PostOrigin: Sendable, Equatable {
    package let isEncrypted: Bool
    package let host: String
    package let port: Int

    /// The text of the header `host`.
    var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == (isEncrypted ? 443 : 80) ? name : "\(name):\(port)"
    }

    /// Reads `https://HOST`, `http://HOST:PORT` or `HOST`, which is reached over TLS.
    ///
    /// - Parameter allowsZero: Whether the port may be 0, which stands for a free one.
    /// - Throws: ``MigrationError`` with the text and the first of these rules that it breaks: of
    ///   the scheme, of a user name, of a path, of the port, of the host.
    package init(_ text: String, allowsZero: Bool = false) throws(MigrationError) {
        func refusal(_ rule: String) -> MigrationError { MigrationError("\(text): \(rule)") }
        var rest = Substring(text)
        var isEncrypted = true
        if let mark = rest.range(of: "://") {
            switch rest[..<mark.lowerBound].lowercased() {
            case "https": break
            case "http": isEncrypted = false
            default: throw refusal("the scheme must be https or http")
            }
            rest = rest[mark.upperBound...]
        }
        guard !rest.utf8.contains(UInt8(ascii: "@")) else {
            throw refusal("a user name has no place in it")
        }
        if rest.hasSuffix("/") { rest = rest.dropLast() }
        guard !rest.utf8.contains(where: { "/?#\\".utf8.contains($0) }) else {
            throw refusal("a path has no place in it")
        }
        var port = isEncrypted ? 443 : 80
        if let colon = rest.lastIndex(of: ":"), !rest.hasSuffix("]") {
            let digits = rest[rest.index(after: colon)...]
            let isNumber = digits.utf8.allSatisfy { (0x30...0x39).contains($0) }
            guard isNumber, let number = UInt16(digits), number > 0 || allowsZero else {
                throw refusal("the port must be \(allowsZero ? 0 : 1) to 65535")
            }
            port = Int(number)
            rest = rest[..<colon]
        }
        let isBracketed = rest.hasPrefix("[") && rest.hasSuffix("]")
        if isBracketed { rest = rest.dropFirst().dropLast() }
        guard !rest.isEmpty, rest.utf8.allSatisfy({ Self.isAllowed($0, isBracketed) }) else {
            throw refusal("the host must be a name or an address, as in https://console.tim.qq.com")
        }
        host = String(rest)
        self.isEncrypted = isEncrypted
        self.port = port
    }

    /// Whether a byte may be one of a name; an address of IPv6 stands in brackets.
    private static func isAllowed(_ byte: UInt8, _ isBracketed: Bool) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "."):
            true
        case UInt8(ascii: "-"), UInt8(ascii: "_"): !isBracketed
        case UInt8(ascii: ":"), UInt8(ascii: "%"): isBracketed
        default: false
        }
    }
}

extension Substring {
    /// The first range that has the text; nil if there is none.
    fileprivate func range(of text: String) -> Range<Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(text) {
                return start..<index(start, offsetBy: text.count)
            }
            formIndex(after: &start)
        }
        return nil
    }
}
