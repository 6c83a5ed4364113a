import ArgumentParser
import GRPCClient
import GRPCWire
import Glibc

/// A client that runs one standard case against a server of the standard test service.
@main
struct RelationInteropClient: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "relation-interop-client",
        abstract: "Run a test case of grpc.testing against a server.",
        discussion: "Ends with status 0 if the case passes, else says what was wrong.")

    @Option(name: .customLong("server_host"), help: "The server's name or address.")
    var serverHost = "127.0.0.1"

    @Option(name: .customLong("server_port"), help: "The server's port.")
    var serverPort: Int

    @Option(
        name: .customLong("ca_file"),
        help: "Encrypt, and believe those in this file (PEM) who sign certificates.")
    var authorities: String?

    @Option(
        name: .customLong("max_received_message_bytes"),
        help: "The longest message that is received, in bytes.")
    var maxReceivedMessageBytes = CallLimits.messageBytes

    @Option(
        name: .customLong("max_sent_message_bytes"),
        help: "The longest message that is sent, in bytes.")
    var maxSentMessageBytes = CallLimits.messageBytes

    @Option(name: .customLong("test_case"), help: "The case, or \"list\" for all names.")
    var testCase: String

    func run() async throws {
        guard testCase != "list" else {
            for (name, _) in StandardCases.all + HostileCases.all { print(name) }
            return
        }
        let all = StandardCases.all + HostileCases.all
        guard let body = all.first(where: { $0.name == testCase })?.body else {
            throw ValidationError("there is no case \(testCase)")
        }
        var configuration = ClientConfiguration(host: serverHost, port: serverPort)
        configuration.maxReceivedMessageBytes = maxReceivedMessageBytes
        configuration.maxSentMessageBytes = maxSentMessageBytes
        if let authorities { configuration.tls = try ClientTLS(authorities: authorities) }
        let peer = Peer(configuration)
        do {
            try await body(peer)
        } catch let failure as Failure {
            print("\(testCase): \(failure)")
            await peer.close()
            throw ExitCode.failure
        }
        await peer.close()
        print("\(testCase): passed")
    }
}

/// A case: its name, and its steps.
typealias Case = (name: String, body: @Sendable (Peer) async throws -> Void)

/// The error that a case found.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

func expect(_ condition: Bool, _ what: @autoclosure () -> String) throws {
    if !condition { throw Failure(what()) }
}
