import ArgumentParser
import GRPC
import GRPCWire
import Logging

/// A server of the standard test service, with which foreign clients test the call layer.
@main
struct RelationInterop: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "relation-interop",
        abstract: "Serve grpc.testing.TestService until the end of standard input.",
        discussion: "Prints one line, \"listening on ADDRESS:PORT\", when it is ready.")

    @Option(help: "The port to listen on; 0 picks a free one.")
    var port = 0

    @Option(help: "The longest message that is received, in bytes.")
    var maxReceivedMessageBytes = CallLimits.messageBytes

    @Option(help: "The longest message that is sent, in bytes.")
    var maxSentMessageBytes = CallLimits.messageBytes

    @Option(help: "Seconds that running calls have when the server stops.")
    var graceSeconds = CallLimits.graceSeconds

    @Option(help: "A certificate and those that lead to its issuer, in PEM: connections get TLS.")
    var tlsCert: String?

    @Option(help: "The key of that certificate, in PEM.")
    var tlsKey: String?

    func validate() throws {
        guard (tlsCert == nil) == (tlsKey == nil) else {
            throw ValidationError("--tls-cert and --tls-key come together")
        }
    }

    func run() async throws {
        LoggingSystem.bootstrap(StreamLogHandler.standardError)
        var logger = Logger(label: "relation-interop")
        logger.logLevel = .warning
        var settings = ServerConfiguration(port: port)
        settings.maxReceivedMessageBytes = maxReceivedMessageBytes
        settings.maxSentMessageBytes = maxSentMessageBytes
        settings.graceSeconds = graceSeconds
        settings.plainPages = ["/h2spec": Array("sixteen bytes...".utf8)]
        if let tlsCert, let tlsKey {
            settings.tls = try ServerTLS(TLSFiles(certificate: tlsCert, key: tlsKey))
        }
        let server = Server(
            configuration: settings, dispatchers: [TestService(), Health()], logger: logger)
        let address = try await server.start()
        print("listening on \(address)", terminator: "\n")
        flushOutput()
        // The process that starts this closes its input, at the latest when it ends.
        while let line = await nextLine() {
            // "stop" lets a test observe a stop from outside.
            if line == "stop" { break }
        }
        await server.shutDownGracefully()
    }
}
