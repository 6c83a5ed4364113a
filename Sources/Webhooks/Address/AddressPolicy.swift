/// The addresses to which webhooks may go.
///
/// A tenant names the address, and the server stands in a network that the tenant must not reach
/// (SSRF). So the address is checked twice: as text when it is set, and as the IP address of each
/// connection, to which the sender then connects itself.
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
    package func refusal(of address: IPAddress) -> AddressRefusal? { nil }

    /// Why a host or a port is not allowed; nil if it is.
    ///
    /// - Parameter host: The host in lower case.
    package func refusal(ofHost host: String, port: Int, isTLS: Bool) -> AddressRefusal? { nil }
}
