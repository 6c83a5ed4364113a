import ArgumentParser
import RelationClient

/// The options for the connection to a server.
struct Connection: ParsableArguments {
    @Option(
        help: """
            The server: HOST:PORT or unix:PATH, or several with commas; if absent, \
            RELATION_SERVER of the environment, then that of the profile, then 127.0.0.1:7450.
            """,
        transform: { try ServerList($0) })
    var server: ServerList?

    @Option(
        help: """
            The app to act in; if absent, RELATION_APP or the profile's, then that of the \
            credential or the server's default.
            """,
        completion: .custom { words, _, _ in await AppNumbers.all(words) })
    var app: UInt32?

    @Option(
        help: """
            The API key, or the operator's; if absent, RELATION_API_KEY of the environment, then \
            that of the profile.
            """)
    var key: String?

    @OptionGroup var named: ProfileOption

    @Option(help: "A user's signature, instead of a key; or RELATION_USER_SIG of the environment.")
    var userSig: String?

    @OptionGroup var security: Security

    @Flag(help: "Compress requests by gzip, and let the server compress answers.")
    var compress = false

    func validate() throws {
        guard key == nil || userSig == nil else {
            throw ValidationError("--key and --user-sig cannot be used together")
        }
    }

    /// The profile that fills in what the options leave out; nil if there is none.
    ///
    /// - Throws: ``Failure`` if a profile was named that is not there.
    func chosenProfile() throws -> ServerProfile? {
        // With an address, nothing is taken from a profile that was not asked for.
        let hasAddress = try server != nil || Environment.line("RELATION_SERVER") != nil
        return try ProfileFile.chosen(named.profile, orCurrent: !hasAddress)
    }

    /// The server's addresses: of the option, of the environment, of the profile, or the usual one.
    func address(_ profile: ServerProfile?) throws -> ServerList {
        if let server { return server }
        let (source, text) =
            if let text = try Environment.line("RELATION_SERVER") {
                ("RELATION_SERVER", text)
            } else {
                ("the profile's server", profile?.server ?? "127.0.0.1:7450")
            }
        do throws(AddressError) {
            return try ServerList(text)
        } catch {
            throw Failure("\(source): \(error)", .misuse)
        }
    }

    func client() throws -> Client {
        try target().client(isCompressing: compress)
    }

    /// Where calls go, and as whom.
    func target() throws -> CallTarget {
        let profile = try chosenProfile()
        let address = try address(profile)
        let isOfProfile = profile.map { $0.server == address.description } ?? false
        var chosen = security.chosen
        if !security.isOn, isOfProfile, let encrypted = profile?.security { chosen = encrypted }
        return try CallTarget(
            server: address, appID: try app ?? appOfEnvironment() ?? profile?.app,
            credential: try credential() ?? (isOfProfile ? profile?.key.map { .apiKey($0) } : nil),
            security: chosen,
            isEncrypted: security.isOn || (isOfProfile && profile?.security != nil),
            hasCertificate: security.tlsCert != nil)
    }

    private func appOfEnvironment() throws -> UInt32? {
        guard let text = try Environment.line("RELATION_APP") else { return nil }
        guard let app = UInt32(text) else {
            throw Failure("RELATION_APP must be the number of an app: it is \(text)", .misuse)
        }
        return app
    }

    /// The given options come before those of the environment.
    private func credential() throws -> ClientCredential? {
        if let userSig { return .userSig(try Environment.line(userSig, of: "--user-sig")) }
        if let key { return .apiKey(try Environment.line(key, of: "--key")) }
        if let token = try Environment.line("RELATION_USER_SIG") { return .userSig(token) }
        return try Environment.line("RELATION_API_KEY").map { .apiKey($0) }
    }
}
