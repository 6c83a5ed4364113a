import ArgumentParser
import RelationClient

/// The command line of the service.
@main
struct Relationctl: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "relationctl",
        abstract: "Talk to a relation-chain server.",
        discussion: """
            relationctl methods
            relationctl call ListFriends '{"user_id": "alice", "page_size": 10}'
            relationctl import friendships.txt --circles circles.tsv
            """,
        subcommands: [CallCommand.self, Methods.self, Import.self])

    @OptionGroup var connection: Connection
}

/// Where the server is.
struct Connection: ParsableArguments {
    @Option(help: "The server's address and port.")
    var server = ServerAddress(host: "127.0.0.1", port: 7450)

    @Option(help: "The app to act in; the server's default if absent.")
    var app: UInt32?

    func client() -> Client {
        Client(host: server.host, port: server.port, appID: app)
    }
}

struct ServerAddress: ExpressibleByArgument {
    let host: String
    let port: Int

    init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    init?(argument: String) {
        guard let colon = argument.lastIndex(of: ":"),
            let port = UInt16(argument[argument.index(after: colon)...]), port > 0
        else { return nil }
        var host = argument[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        guard !host.isEmpty else { return nil }
        self.init(host: String(host), port: Int(port))
    }

    var defaultValueDescription: String { "\(host):\(port)" }
}

/// What ends the program with a message.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
