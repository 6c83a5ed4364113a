// The rules of a client's options. No value traps: one that breaks a rule is refused by name.

extension ClientOptions {
    /// The option that breaks its rule, and the rule; nil if all can be used.
    var problem: String? {
        serversProblem ?? credential?.problem.map { "credential: \($0)" } ?? numbersProblem
            ?? security.problem.map { "security: \($0)" }
            ?? retries?.problem.map { "retries.\($0)" }
    }

    private var serversProblem: String? {
        guard !servers.isEmpty else { return "servers: name at least one" }
        guard servers.count <= Self.mostServers else {
            return "servers: name at most \(Self.mostServers)"
        }
        for server in servers {
            do throws(AddressError) {
                // A host may have been given in parts that make no address together.
                _ = try ServerAddress(server.description)
            } catch {
                return "servers: \(error)"
            }
        }
        return nil
    }

    private var numbersProblem: String? {
        if timeout <= .zero { return "timeout: must be longer than 0" }
        let bounds = Self.leastKeepalive...Self.longestKeepalive
        if let keepalive, !bounds.contains(keepalive) {
            return "keepalive: must be \(bounds.lowerBound) to \(bounds.upperBound), or nil"
        }
        let sizes = 1...Self.mostMessageBytes
        if !sizes.contains(maxReceivedMessageBytes) {
            return "maxReceivedMessageBytes: must be 1 to \(Self.mostMessageBytes)"
        }
        if !sizes.contains(maxSentMessageBytes) {
            return "maxSentMessageBytes: must be 1 to \(Self.mostMessageBytes)"
        }
        return nil
    }
}

extension ClientCredential {
    /// The longest key or signature, in bytes: servers take no header block of more than 16 KiB.
    static let mostBytes = 8 * 1_024

    /// The rule that the text breaks; nil if it can be sent.
    ///
    /// The words never have the text.
    var problem: String? {
        let (name, text): (String, String)
        switch self {
        case .apiKey(let key): (name, text) = ("the key", key)
        case .userSig(let signature): (name, text) = ("the signature", signature)
        case .provided: return nil
        }
        guard !text.isEmpty else { return "\(name) is empty" }
        guard text.utf8.count <= Self.mostBytes else {
            return "\(name) has \(text.utf8.count) bytes: it may have \(Self.mostBytes)"
        }
        if text.utf8.contains(where: { $0 == 0x0A || $0 == 0x0D }) {
            return "\(name) has the end of a line in it: take it without that"
        }
        guard text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            return "\(name) has characters that are not printable ASCII"
        }
        if text.first == " " || text.last == " " { return "\(name) begins or ends with a blank" }
        return nil
    }
}
