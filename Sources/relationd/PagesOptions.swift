import ArgumentParser
import GRPC
import OperatorPages

/// The options for the second listener, with the metrics and the other pages for operators.
struct PagesOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The address and port of the pages /metrics, /livez, /readyz and /version; or off.",
            discussion: """
                Without it, 127.0.0.1:7451. If --listen leaves its port to the system, or is a \
                socket, the system picks a port of 127.0.0.1 for the pages too. So several \
                servers on one machine do not get in each other's way.
                """, valueName: "address"))
    var metricsListen: PagesAddress?

    @Flag(help: "Show the pages without TLS on an address that other machines can reach.")
    var metricsAllowPlaintext = false

    /// Where the pages are; nil for nowhere.
    func address(beside listen: ListenAddress) -> ListenAddress? {
        switch metricsListen {
        case .off: nil
        case .address(let address): address
        case nil:
            switch listen {
            case .port(0, host: _), .socket: .port(0, host: "127.0.0.1")
            case .port: .port(PagesAddress.usualPort, host: "127.0.0.1")
            }
        }
    }

    /// - Throws: `ValidationError`, which names what is missing.
    func check(_ security: SecurityOptions) throws {
        guard case .address(let address) = metricsListen else { return }
        guard address.isLocal || security.isEncrypted || metricsAllowPlaintext else {
            throw ValidationError(
                """
                other machines can reach \(address): --metrics-listen there needs --tls-cert and \
                --tls-key, or --metrics-allow-plaintext
                """)
        }
    }

    /// Whether the pages are shown over TLS, with the server's own certificate.
    ///
    /// On a loopback address they are not, so that tools of the machine need no certificate.
    func isEncrypted(_ address: ListenAddress, _ security: SecurityOptions) -> Bool {
        security.isEncrypted && !address.isLocal && !metricsAllowPlaintext
    }
}

/// An address for the pages, or the word that switches them off.
enum PagesAddress: ExpressibleByArgument {
    static let usualPort = 7451

    case off
    case address(ListenAddress)

    init?(argument: String) {
        if argument == "off" {
            self = .off
            return
        }
        guard let address = ListenAddress(argument: argument), case .port = address else {
            return nil
        }
        self = .address(address)
    }
}
