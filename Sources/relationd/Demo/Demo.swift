import ArgumentParser
import Endings
import Glibc
import Logging
import Protobuf
import RelationService

/// Serves a store for a first look, or for the tests of a client.
struct Demo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serve a sample graph that is gone afterwards, for a first look or for tests.",
        discussion: """
            It is the same server, with the same rules, on a data folder that is removed at the \
            end. Its clock can be set, and a call can ask for a fault. It reads no file of \
            settings and no variable. On a loopback address it asks for no credential; on any \
            other it makes a key for this one time, and prints it. Its first line is "listening on \
            ADDRESS:PORT", and the last one before it serves is "ready".
            """)

    @Flag(help: "Keep nothing: what it holds ends with it. This is so unless --data is given.")
    var memory = false

    @Option(
        help: ArgumentHelp("Keep the data in this folder, for another time.", valueName: "folder"))
    var data: String?

    @Option(
        help: ArgumentHelp(
            "The address to listen on (default: 127.0.0.1).", valueName: "address"))
    var address: String?

    @Option(
        help: "The port; 0 for a free one (default: 7450, or a free one if that is taken).")
    var port: String?

    @Flag(help: "Begin with no user.")
    var empty = false

    @Flag(help: "Begin with the sample graph. This is so in a new folder.")
    var sample = false

    @Option(help: ArgumentHelp("Begin with what this JSON file has.", valueName: "file"))
    var fixture: String?

    @Option(
        help: ArgumentHelp(
            "Make an app of this name; may be given several times.", valueName: "name"))
    var app: [String] = []

    @Option(help: "The lowest level of messages to log. (default: warning)")
    var logLevel: String?

    func validate() throws {
        guard !memory || data == nil else {
            throw ValidationError("--memory and --data exclude each other")
        }
        guard [empty, sample, fixture != nil].count(where: { $0 }) <= 1 else {
            throw ValidationError("--empty, --sample and --fixture exclude each other")
        }
        guard fixture != "" else { throw ValidationError("--fixture takes the path of a file") }
        guard app.count <= DemoLimits.apps else {
            throw ValidationError("--app is given at most \(DemoLimits.apps) times")
        }
        guard Set(app).count == app.count else { throw ValidationError("--app takes a name once") }
        for name in app where !(1...DemoLimits.appNameBytes).contains(name.utf8.count) {
            throw ValidationError("--app takes a name of 1 to \(DemoLimits.appNameBytes) bytes")
        }
        // Each app has one line of the output, which programs read.
        for name in app where JSONQuote.plain(name) != name {
            throw ValidationError("--app takes a name without hidden characters")
        }
        try validateAddress()
    }

    /// Looks whether the address and the port can be those of a server.
    private func validateAddress() throws {
        if let port, Self.number(port) == nil {
            throw ValidationError("--port takes a number from 0 to 65535")
        }
        guard address != nil else { return }
        // In brackets stands an address of IPv6, which has more colons than a host with a port.
        let isOneHost = address.map { $0.count { $0 == ":" } != 1 } ?? true
        guard isOneHost, (try? ListenAddress(argument: "\(host):0")) != nil else {
            throw ValidationError(
                "--address takes a host without a port, such as 127.0.0.1, ::1 or 0.0.0.0")
        }
    }

    func run() async throws {
        let file = try fixtureFile()
        let contents = file?.fixture ?? (empty ? DemoFixture() : .sample)
        let kept = data
        let folder = try kept == nil ? DemoFolder() : nil
        defer { folder?.remove() }
        let path = kept ?? folder?.path ?? ""
        let hasRows = kept.map { access($0, F_OK) == 0 } ?? false
        guard !hasRows || !sample && fixture == nil else {
            throw FatalError("\(path) is there already: --sample and --fixture need a new folder")
        }
        let mode = DemoMode(
            hasRows ? DemoFixture() : contents, from: file, apps: app, isKept: kept != nil)
        let sources = ConfigurationSources(
            flags: try settings(path), environment: EnvironmentSettings([]))
        try await Serve.serve(from: sources, as: mode)
    }

    /// The file with the contents of a new folder, if one is named.
    private func fixtureFile() throws -> FixtureFile? {
        do {
            return try fixture.map { try FixtureFile(at: $0) }
        } catch let error as FatalError {
            throw error
        } catch {
            throw FatalError("\(error)")
        }
    }

    /// The settings of the server, as flags would give them.
    private func settings(_ folder: String) throws -> [(Setting, String?)] {
        var settings: [(Setting, String?)] = [
            (.data, folder), (.logLevel, logLevel ?? "warning"),
        ]
        let listen = listenAddress
        // The admin endpoints begin earlier, and would name an option that a demo does not have.
        try listen.checkAddress()
        try listen.probe()
        settings.append((.listen, "\(listen)"))
        if data == nil { settings.append((.noSync, "true")) }
        // Pages for this machine only are on its usual address.
        let pages = pagesAddress(beside: listen)
        settings.append((.metricsListen, "\(pages)"))
        guard !listen.isLocal else {
            // Receivers of hooks are programs of the same test.
            return settings + [
                (.insecure, "true"), (.hooks, "true"), (.hookAllowPrivate, "true"),
                (.hookAllowPlaintext, "true"),
            ]
        }
        return settings + [(.allowPlaintext, "true"), (.metricsAllowPlaintext, "true")]
    }

    // MARK: - Where it listens

    /// The host of `--address`, as a setting has it.
    private var host: String {
        guard let address else { return "127.0.0.1" }
        return address.contains(":") && !address.hasPrefix("[") ? "[\(address)]" : address
    }

    private static func number(_ port: String) -> Int? {
        guard port.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return UInt16(port).map { Int($0) }
    }

    /// The address of the server: the one of the options, or a free port of its host if no option
    /// asks for a port and the usual one is taken.
    private var listenAddress: ListenAddress {
        let number = port.flatMap(Self.number) ?? 7_450
        guard let address = try? ListenAddress(argument: "\(host):\(number)") else {
            return .port(number, host: host)
        }
        guard port == nil, address.isTaken, case .port(_, let host) = address else {
            return address
        }
        warn("\(address) is taken: the server listens on a free port. --port asks for one")
        return .port(0, host: host)
    }

    /// The address of the admin endpoints: their usual port, or a free one if it is taken, if it is
    /// the server's own, or if the server itself asks for a free one.
    private func pagesAddress(beside listen: ListenAddress) -> ListenAddress {
        guard case .port(let number, let host) = listen else { return listen }
        let own = listen.isLocal ? "127.0.0.1" : host
        let usual = ListenAddress.port(Setting.metricsPort, host: own)
        guard port.flatMap(Self.number) != 0, number != Setting.metricsPort else {
            return .port(0, host: own)
        }
        guard usual.isTaken else { return usual }
        warn("\(usual) is taken: the admin endpoints listen on a free port")
        return .port(0, host: own)
    }

    /// Prints a warning, unless errors alone are wanted.
    private func warn(_ text: String) {
        let level = logLevel.flatMap { Logger.Level(rawValue: $0) } ?? .warning
        guard level <= .warning else { return }
        JournalOutput.print("warning: \(text)\n", .warning)
    }
}
