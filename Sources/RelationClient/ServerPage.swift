internal import GRPCClient

/// Reads the admin endpoints of a server, on its second listener.
package struct ServerPage: Sendable {
    private let call: PageCall

    /// - Parameters:
    ///   - maxBytes: The longest page, with its header section.
    ///   - seconds: How long a page may let itself be waited for.
    /// - Throws: ``OptionsError`` if a file of `security` cannot be used.
    package init(
        at address: ServerAddress, security: ClientSecurity, maxBytes: Int, seconds: Int
    ) throws(OptionsError) {
        call = PageCall(
            address.target, tls: try security.tls(for: "http/1.1"), maxBytes: maxBytes,
            seconds: Int64(seconds))
    }

    /// The answer of HTTP/1.1, with its header section.
    ///
    /// - Throws: An error whose description is for people.
    package func answer(to path: String) async throws -> [UInt8] {
        try await call.answer(to: path)
    }
}
