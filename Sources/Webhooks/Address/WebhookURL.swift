/// The address of a receiver, as its text says it, within a policy.
///
/// It takes less than the grammar of URLs does, so that no other reader can understand a text
/// differently: ASCII only, a path that begins with `/`, no user, no fragment, no backslash.
package struct WebhookURL: Hashable, Sendable {
    package let isTLS: Bool
    /// The name in lower case, or the IP address without brackets.
    package let host: String
    package let port: Int
    /// The path with its query, which begins with `/`.
    package let target: String
    /// The address, if the host is one.
    package let address: IPAddress?

    /// Reads a URL, and checks it against a policy.
    ///
    /// Errors come in the order of ``AddressRefusal``. Nothing is resolved: the sender does that
    /// for each connection.
    package init(_ text: String, _ policy: AddressPolicy) throws(AddressRefusal) {
        let bytes = Array(text.utf8)
        guard bytes.count <= WebhookLimits.urlBytes else { throw .tooLong }
        // A name of other letters has an error of its own.
        guard bytes.allSatisfy({ $0 >= 0x80 || Self.isAllowed($0) }) else { throw .badCharacter }
        let (isTLS, rest): (Bool, Substring)
        if let after = Self.dropping("https://", text) {
            (isTLS, rest) = (true, after)
        } else if policy.allowsPlainHTTP, let after = Self.dropping("http://", text) {
            (isTLS, rest) = (false, after)
        } else {
            throw .notHTTPS
        }
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let path = rest[authority.endIndex...]
        guard !authority.contains("@") else { throw .userInfo }
        guard !path.contains("#") else { throw .fragment }
        let (host, port) = try Self.split(authority)
        try self.init(host, port, path, isTLS, policy)
    }

    private init(
        _ written: String, _ port: String?, _ path: Substring, _ isTLS: Bool,
        _ policy: AddressPolicy
    ) throws(AddressRefusal) {
        let isBracketed = written.hasPrefix("[")
        let host = isBracketed ? String(written.dropFirst().dropLast()) : written.lowercased()
        guard !host.isEmpty else { throw .badHost }
        guard host.utf8.allSatisfy({ $0 < 0x80 }) else { throw .internationalName }
        guard path.utf8.allSatisfy({ $0 < 0x80 }), Self.hasWholeEscapes(path) else {
            throw .badCharacter
        }
        let address = IPAddress(host)
        switch address {
        case .six: guard isBracketed else { throw .badHost }
        case .four: guard !isBracketed, address?.description == host else { throw .badHost }
        case nil:
            guard !isBracketed, Self.isName(host) else { throw .badHost }
            guard !Self.isNumeric(host) else { throw .unusualNumber }
        }
        guard let number = port.map({ Self.port($0) }) ?? (isTLS ? 443 : 80) else {
            throw .badPort
        }
        let shown = address?.description ?? host
        if let refusal = policy.refusal(ofHost: shown, port: number, isTLS: isTLS) {
            throw refusal
        }
        if Self.isThisMachine(host), !policy.allowsPrivateAddresses { throw .loopback }
        if let address, let refusal = policy.refusal(of: address) { throw refusal }
        self.isTLS = isTLS
        self.host = shown
        self.port = number
        self.address = address
        target = path.hasPrefix("/") ? String(path) : "/" + path
    }

    /// The host with its port where it is not the usual one, as the header `host` has it.
    package var authority: String {
        var text = host
        if case .six = address { text = "[\(host)]" }
        return port == (isTLS ? 443 : 80) ? text : "\(text):\(port)"
    }

    /// The URL without its path and its query, for logs: both may hold secrets.
    package var shown: String { "\(isTLS ? "https" : "http")://\(authority)/…" }

    // MARK: - Parts

    /// The text after its scheme, which may be in capitals.
    private static func dropping(_ scheme: String, _ text: String) -> Substring? {
        text.prefix(scheme.count).lowercased() == scheme ? text.dropFirst(scheme.count) : nil
    }

    private static func split(
        _ authority: Substring
    ) throws(AddressRefusal) -> (host: String, port: String?) {
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { throw .badHost }
            let after = authority[authority.index(after: end)...]
            guard after.isEmpty || after.hasPrefix(":") else { throw .badHost }
            return (String(authority[...end]), after.isEmpty ? nil : String(after.dropFirst()))
        }
        let parts = authority.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count <= 2 else { throw .badHost }
        return (String(parts[0]), parts.count == 2 ? String(parts[1]) : nil)
    }

    private static func port(_ text: String) -> Int? {
        guard (1...5).contains(text.utf8.count), text.utf8.allSatisfy(isDigit),
            let number = Int(text), (1...65_535).contains(number)
        else { return nil }
        return number
    }

    /// Whether a byte of ASCII may stand in a URL: no blank, no control character, and none that
    /// readers take for something else.
    private static func isAllowed(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7F && !#""<>\^`{|}"#.utf8.contains(byte)
    }

    /// Whether each `%` is the beginning of an escaped byte.
    private static func hasWholeEscapes(_ path: Substring) -> Bool {
        let parts = path.utf8.split(
            separator: UInt8(ascii: "%"), omittingEmptySubsequences: false)
        return parts.dropFirst().allSatisfy { part in
            part.count >= 2 && part.prefix(2).allSatisfy { isHexadecimal($0) }
        }
    }

    /// Whether a text in lower case is the name of a host: labels of letters, digits, hyphens or
    /// low lines, without a point at the end.
    static func isName(_ host: String) -> Bool {
        guard (1...WebhookLimits.hostBytes).contains(host.utf8.count) else { return false }
        return host.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            .allSatisfy { label in
                (1...WebhookLimits.labelBytes).contains(label.count)
                    && label.first != UInt8(ascii: "-") && label.last != UInt8(ascii: "-")
                    && label.allSatisfy { byte in
                        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                            || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
                    }
            }
    }

    /// Whether some reader takes a name for a number, and so for an address of IPv4: its last label
    /// is decimal, octal or hexadecimal.
    static func isNumeric(_ host: String) -> Bool {
        guard let last = host.utf8.split(separator: UInt8(ascii: ".")).last else { return false }
        if last.allSatisfy(isDigit) { return true }
        return last.starts(with: "0x".utf8) && last.dropFirst(2).allSatisfy { isHexadecimal($0) }
    }

    /// Whether a name means this machine everywhere (RFC 6761).
    private static func isThisMachine(_ host: String) -> Bool {
        host == "localhost" || host.hasSuffix(".localhost") || host == "localhost.localdomain"
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        let letter = byte | 0x20
        return isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(letter)
    }
}
