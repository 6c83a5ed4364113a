/// The addresses to which webhooks may go.
///
/// A tenant names the address, and the server stands in a network that the tenant must not reach
/// (SSRF). So the address is checked twice: as text when it is set, and as the IP address of each
/// connection, to which the sender then connects itself. A name that changes its address in between
/// (DNS rebinding) gains nothing.
package struct AddressPolicy: Hashable, Sendable {
    /// Whether a receiver may be reached without TLS.
    package var allowsPlainHTTP = false

    /// Whether a receiver may be on this machine, or in a private network.
    ///
    /// Addresses of one link, and those where clouds keep a machine's secrets, are refused all the
    /// same.
    package var allowsPrivateAddresses = false

    /// The hosts that are allowed: a name, an IP address, or `*.example.com` for each name that
    /// ends so; empty allows each.
    package var allowedHosts: [String] = []

    /// The ports that are allowed; empty allows 443, 80 without TLS, and all from 1024 on.
    package var allowedPorts: [Int] = []

    package init() {}

    /// Why an address must not be connected to; nil if it may.
    package func refusal(of address: IPAddress) -> AddressRefusal? {
        guard let kind = address.kind else { return nil }
        let isPrivate = kind == .loopback || kind == .privateNetwork
        return isPrivate && allowsPrivateAddresses ? nil : kind
    }

    /// Why a host or a port is not allowed; nil if it is.
    ///
    /// - Parameter host: The host in lower case.
    package func refusal(ofHost host: String, port: Int, isTLS: Bool) -> AddressRefusal? {
        guard allowedHosts.isEmpty || allowedHosts.contains(where: { Self.allows($0, host) })
        else { return .hostNotAllowed }
        guard allowedPorts.isEmpty else {
            return allowedPorts.contains(port) ? nil : .portNotAllowed
        }
        return port >= 1_024 || port == (isTLS ? 443 : 80) ? nil : .portNotAllowed
    }

    /// Whether an entry of the allowed hosts is one, so that an operator learns of an error.
    package static func isHostPattern(_ text: String) -> Bool {
        let name = text.hasPrefix("*.") ? String(text.dropFirst(2)) : text
        if IPAddress(name) != nil { return name == text }
        return WebhookURL.isName(name.lowercased()) && !WebhookURL.isNumeric(name.lowercased())
    }

    private static func allows(_ pattern: String, _ host: String) -> Bool {
        let pattern = pattern.lowercased()
        guard pattern.hasPrefix("*.") else {
            if let address = IPAddress(pattern) { return address == IPAddress(host) }
            return pattern == host
        }
        // An address has no suffix.
        return host.hasSuffix(pattern.dropFirst()) && IPAddress(host) == nil
    }
}
