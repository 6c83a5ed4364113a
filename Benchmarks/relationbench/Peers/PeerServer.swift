/// A server that answers CheckFriends, and is measured in turns with others.
struct PeerServer {
    /// The metadata of calls that show a key.
    static let keyed = [
        ("grpc-timeout", PeerBenchLimits.timeout), ("authorization", "Bearer \(BenchKey.text)"),
    ]

    let name: String
    /// The path of its program, and the arguments.
    let command: [String]
    /// The metadata of every call to it.
    ///
    /// A key costs its bytes on the way to every server, also to one that ignores it.
    var metadata = Self.keyed
    /// Whether it answers every call with one file, whatever the call asks for.
    var isStatic = false
    /// Whether SIGTERM ends it at once, with all that it does.
    var endsBySignal = false
    /// Whether its instructions can be counted: those of an interpreter say little.
    var isCounted = true
    /// Whether its program must lose its debug information before valgrind runs it.
    var hasDebugInformation = false

    /// The server of this project, with a credential on each call or without.
    static func ours(_ name: String, _ program: String, isGuarded: Bool) -> PeerServer {
        PeerServer(
            name: name,
            command: [program, "serve", "--fixed"] + (isGuarded ? ["--guarded"] : []),
            metadata: isGuarded ? keyed : [keyed[0]], hasDebugInformation: true)
    }

    /// The other servers, as `make` has built them in `folder`.
    static func others(in folder: String, python: String) -> [PeerServer] {
        [
            PeerServer(name: "C", command: [folder + "/c-server"]),
            PeerServer(
                name: "nghttpd",
                command: [
                    "/usr/sbin/nghttpd", "--no-tls", "--address=127.0.0.1",
                    "--max-concurrent-streams=1000", "--trailer=grpc-status: 0",
                    "--htdocs=\(folder)/\(StaticAnswers.folder)",
                ], isStatic: true, endsBySignal: true),
            PeerServer(name: "C++ callback", command: [folder + "/cpp-server"]),
            PeerServer(name: "C++ queue", command: [folder + "/cpp-server", "--queue"]),
            PeerServer(name: "Go", command: [folder + "/go-server"], endsBySignal: true),
            PeerServer(
                name: "Python",
                command: [python, Peers.sources + "/python/server.py", folder + "/python"],
                isCounted: false),
        ]
    }

    /// Starts the server on the server's processor, and waits until it accepts connections.
    ///
    /// - Parameters:
    ///   - tool: A command that runs the server's command, such as valgrind; empty for none.
    ///   - program: Another program in the place of its own; nil for none.
    func start(under tool: [String] = [], program: String? = nil) throws -> ServerProcess {
        let words = tool + [program ?? command[0]] + command.dropFirst()
        guard !isStatic else { return try QuietServer.start { words + ["\($0)"] } }
        return try ServerProcess(serving: words[0], Array(words.dropFirst()))
    }
}
