import ArgumentParser
import Glibc
import RelationService
import TextFiles

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
        guard app.count <= DemoLimits.apps else {
            throw ValidationError("--app is given at most \(DemoLimits.apps) times")
        }
        guard Set(app).count == app.count else { throw ValidationError("--app takes a name once") }
        for name in app where !(1...DemoLimits.appNameBytes).contains(name.utf8.count) {
            throw ValidationError("--app takes a name of 1 to \(DemoLimits.appNameBytes) bytes")
        }
    }

    func run() async throws {
        let contents = try contents()
        let kept = data
        let folder = try kept == nil ? DemoFolder() : nil
        defer { folder?.remove() }
        let path = kept ?? folder?.path ?? ""
        let hasRows = kept.map { access($0, F_OK) == 0 } ?? false
        guard !hasRows || !sample && fixture == nil else {
            throw FatalError("\(path) is there already: --sample and --fixture need a new folder")
        }
        let mode = DemoMode(hasRows ? DemoFixture() : contents, apps: app, isKept: kept != nil)
        let sources = ConfigurationSources(
            flags: settings(path), environment: EnvironmentSettings([]))
        try await Serve.serve(from: sources, as: mode)
    }

    /// The contents of a new folder.
    private func contents() throws -> DemoFixture {
        guard let fixture else { return empty ? DemoFixture() : .sample }
        do {
            return try DemoFixture(
                json: try SmallFile.text(of: fixture, atMost: DemoLimits.fixtureBytes))
        } catch let error as DemoFixture.FixtureError {
            throw FatalError("\(fixture): \(error.words)")
        } catch {
            throw FatalError("\(error)")
        }
    }

    /// The settings of the server, as flags would give them.
    private func settings(_ folder: String) -> [(Setting, String)] {
        var settings: [(Setting, String)] = [
            (.data, folder), (.logLevel, logLevel ?? "warning"),
        ]
        // Without these the usual ports are asked for, and free ones taken in their place.
        let host = address.map { $0.contains(":") && !$0.hasPrefix("[") ? "[\($0)]" : $0 }
        if address != nil || port != nil {
            settings.append((.listen, "\(host ?? "127.0.0.1"):\(port ?? "7450")"))
        }
        if data == nil { settings.append((.noSync, "true")) }
        guard let host, (try? ListenAddress(argument: "\(host):0"))?.isLocal == false else {
            // Receivers of hooks are programs of the same test.
            return settings + [
                (.insecure, "true"), (.hooks, "true"), (.hookAllowPrivate, "true"),
                (.hookAllowPlaintext, "true"),
            ]
        }
        return settings + [
            (.allowPlaintext, "true"), (.metricsAllowPlaintext, "true"),
            (.metricsListen, "\(host):\(port == "0" ? 0 : Setting.metricsPort)"),
        ]
    }
}
