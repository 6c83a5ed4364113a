import ArgumentParser
import Endings
import Glibc
import RelationClient
import Release

/// The entry of the program.
@main
enum Program {
    static func main() async {
        FatalSignals.handle()
        await Relationctl.main()
    }
}

/// The commands of the service's clients.
struct Relationctl: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "relationctl",
        abstract: "Talk to a relation-chain server.",
        discussion: """
            relationctl methods
            relationctl call ListFriends '{"user_id": "alice", "page_size": 10}'
            relationctl watch alice
            relationctl import friendships.txt --circles circles.tsv
            """,
        version: "relationctl \(Version.text)",
        subcommands: [
            CallCommand.self, Methods.self, Watch.self, Import.self, Export.self, ImportApp.self,
            Top.self, Connections.self, Slow.self, OperatorKeysCommand.self,
        ])

    @OptionGroup var connection: Connection
}

/// The options for the connection to a server.
struct Connection: ParsableArguments {
    @Option(
        help: "The server: HOST:PORT or unix:PATH.", transform: { try ServerAddress($0) })
    var server = ServerAddress.host("127.0.0.1", port: 7450)

    @Option(help: "The app to act in; if absent, that of the credential or the server's default.")
    var app: UInt32?

    @Option(help: "The API key, or the operator's; if absent, RELATION_API_KEY of the environment.")
    var key: String?

    @Option(help: "A user's signature, instead of a key; or RELATION_USER_SIG of the environment.")
    var userSig: String?

    @Flag(help: "Encrypt, and trust the authorities that the system trusts.")
    var tls = false

    @Option(
        help: """
            Encrypt, and trust the authorities in this file (PEM), up to their root. A \
            server's own certificate works only if it signs itself and may sign others.
            """)
    var tlsCA: String?

    @Option(help: "A client certificate (PEM).")
    var tlsCert: String?

    @Option(help: "The key of the client certificate (PEM).")
    var tlsKey: String?

    @Option(help: "The name that the server's certificate must have; if absent, the host's.")
    var tlsName: String?

    @Flag(help: "Compress requests by gzip, and let the server compress answers.")
    var compress = false

    func validate() throws {
        guard (tlsCert == nil) == (tlsKey == nil) else {
            throw ValidationError("--tls-cert needs --tls-key, and --tls-key needs --tls-cert")
        }
        guard tls || tlsCA != nil || (tlsCert == nil && tlsName == nil) else {
            throw ValidationError("--tls-cert and --tls-name need --tls or --tls-ca")
        }
        guard key == nil || userSig == nil else {
            throw ValidationError("--key and --user-sig cannot be used together")
        }
    }

    func client() throws -> Client {
        var options = ClientOptions(servers: [server])
        options.appID = app
        options.credential = credential
        options.isCompressing = compress
        options.program = "relationctl/\(Version.text)"
        if tls || tlsCA != nil {
            options.security = .tls(
                authorities: tlsCA.map { .file($0) },
                certificate: tlsCert.flatMap { path in
                    tlsKey.map { (chain: .file(path), key: .file($0)) }
                }, serverName: tlsName)
        }
        do {
            return try Client(options)
        } catch {
            throw Failure("\(error)")
        }
    }

    /// The given options come before those of the environment.
    private var credential: ClientCredential? {
        if let userSig { return .userSig(userSig) }
        if let key { return .apiKey(key) }
        if let token = Self.environment("RELATION_USER_SIG") { return .userSig(token) }
        return Self.environment("RELATION_API_KEY").map { .apiKey($0) }
    }

    private static func environment(_ name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(cString: value)
    }
}
