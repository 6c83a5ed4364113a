import GRPCWire
import RelationClient

/// Reads the admin endpoints of a server, over HTTP/1.1 with or without TLS.
struct PageReader {
    let address: PageAddress
    private let page: ServerPage

    /// - Parameter security: The options for encryption, which an address with `http://` does not
    ///   use.
    init(_ address: PageAddress, _ security: Security) throws {
        let isEncrypted = address.isEncrypted ?? security.isOn
        try self.init(address, isEncrypted ? security.encrypted : .plaintext)
    }

    private init(_ address: PageAddress, _ security: ClientSecurity) throws {
        self.address = address
        do throws(OptionsError) {
            page = try ServerPage(
                at: address.server, security: security,
                maxBytes: Limits.pageBytes, seconds: Limits.pageSeconds)
        } catch {
            throw Failure("\(error)")
        }
    }

    /// Reads the admin endpoints of a profile; its encryption is theirs, unless the options ask for
    /// another.
    init(of profile: ServerProfile, _ text: String, _ security: Security) throws {
        let address = try PagesOptions.address(text, "the profile's admin endpoints")
        guard !security.isOn, let encrypted = profile.security, address.isEncrypted ?? true else {
            try self.init(address, security)
            return
        }
        try self.init(address, encrypted)
    }

    /// A page, and the instance of the server that shows it; nil from a server that names none.
    ///
    /// - Throws: ``Failure``, which says what to do.
    func page(_ path: String) async throws -> (text: String, instance: String?) {
        let bytes: [UInt8]
        do {
            bytes = try await page.answer(to: path)
        } catch {
            throw Failure(
                "the admin endpoints of \(address.server) cannot be read: \(error)", .unreachable)
        }
        let answer = String(decoding: bytes, as: UTF8.self)
        guard answer.hasPrefix("HTTP/1."), let end = answer.firstRange(of: "\r\n\r\n"),
            let status = answer.split(separator: " ", maxSplits: 2).dropFirst().first
        else {
            throw Failure("\(address.server) does not answer in HTTP/1.1: is --pages right?")
        }
        let body = String(answer[end.upperBound...])
        guard status == "200" else { throw Failure("\(path) answers \(status): \(body)") }
        let name = "\(ServerInstance.header): "
        let line = answer[..<end.lowerBound].split(separator: "\r\n").first {
            $0.lowercased().hasPrefix(name)
        }
        return (body, line.map { String($0.dropFirst(name.count)) })
    }
}
