/// The address of a receiver, as its text says it, within a policy.
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
        throw .badHost
    }

    /// The host with its port where it is not the usual one, as the header `host` has it.
    package var authority: String { "" }

    /// The URL without its query and all but the first part of its path, for logs: both may hold
    /// secrets.
    package var shown: String { "" }
}
