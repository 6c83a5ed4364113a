import ArgumentParser
import Glibc
import RelationClient
import TextFiles

struct Login: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Keep the address of a server, the app and the key, for later commands.",
        discussion: """
            The key comes from standard input, so that no list of processes shows it; an empty \
            line keeps none. The server is asked whether it accepts the key before anything is \
            kept. One that asks for no credential cannot say, so there the key only has to look \
            like one. The profile becomes the current one. Its key goes only to its own server.

            relationctl login work --server relation.example:7450 --tls-ca ca.pem < key.txt
            relationctl --profile work call GetLimits
            """)

    @OptionGroup var connection: Connection

    @Option(help: "The server's admin endpoints, which top, slow and connections read.")
    var pages: String?

    @Flag(help: "Keep the profile without asking the server, which may not be there.")
    var unchecked = false

    @Argument(
        help: "The name of the profile.", completion: .custom { _, _, _ in ProfileFile.names })
    var name = "default"

    func validate() throws {
        guard ProfileFile.isName(name) else {
            throw ValidationError(
                "the name of a profile has 1 to \(Limits.profileNameBytes) letters, digits, "
                    + "'-', '_' or '.'")
        }
    }

    func run() async throws {
        var file = try ProfileFile()
        var profile = ServerProfile(server: try connection.address(nil).description)
        profile.app = connection.app
        profile.pages = try pages.map { try PagesOptions.address($0, "--pages").text }
        let security = connection.security
        guard security.tlsCert == nil, connection.userSig == nil else {
            throw Failure("a profile keeps no client certificate and no --user-sig", .misuse)
        }
        profile.tls = security.isOn
        profile.tlsCA = try security.tlsCA.map(Self.whole)
        profile.tlsName = security.tlsName
        let key = try key()
        profile.key = key.isEmpty ? nil : key
        try KeyText(key)?.check(profile.app)
        let words = unchecked ? "it was not shown to the server" : try await accepted(profile)
        try file.save(profile, as: name)
        _ = try StandardOutput.print("profile \(name) is kept in \(file.path): \(words)")
    }

    /// Asks the server who the caller is.
    ///
    /// - Returns: Words that say so.
    /// - Throws: ``Failure`` if there is no server, or if it does not accept the key.
    private func accepted(_ profile: ServerProfile) async throws -> PlainText {
        let target = try CallTarget(
            server: try connection.address(nil), appID: profile.app,
            credential: profile.key.map { .apiKey($0) }, security: connection.security.chosen,
            isEncrypted: profile.tls)
        let client = try target.client(isCompressing: connection.compress)
        let caller: CallerScopes
        do {
            caller = try await CallerScopes(client, target, asksBare: true)
            await client.close()
        } catch let error as CallError {
            await client.close()
            throw kept(Failure(error))
        }
        if let refusal = caller.refusal { throw kept(Failure(refusal)) }
        if caller.isOpen, let key = profile.key, KeyText(key) == nil {
            throw kept(
                Failure(
                    "the server asks for no credential, and what was given is not a key: one is "
                        + "APP.NAME.SECRET; an empty line keeps none", .misuse))
        }
        return caller.words(target)
    }

    private func kept(_ failure: Failure) -> Failure {
        Failure(
            "\(failure)\n  profile \(name) is not kept; --unchecked keeps it all the same",
            failure.outcome)
    }

    /// The path from the root, since later commands may run elsewhere.
    private static func whole(_ path: String) throws -> String {
        guard let whole = realpath(path, nil) else {
            throw Failure("\(path): \(String(cString: strerror(errno)))")
        }
        defer { free(whole) }
        return String(cString: whole)
    }

    private func key() throws -> String {
        if let key = connection.key { return try checked(key, "--key") }
        if isatty(STDIN_FILENO) == 1 {
            let typed = getpass("Key (empty for none): ").map { String(cString: $0) } ?? ""
            return try checked(typed, "the key")
        }
        let text: String
        do throws(InputFileError) {
            text = try SmallFile.text(
                in: STDIN_FILENO, named: "standard input", atMost: Limits.requestBytes)
        } catch {
            throw Failure(error)
        }
        let line = text.utf8.prefix { $0 != UInt8(ascii: "\n") }
        return try checked(String(Substring(line)), "the key")
    }

    private func checked(_ text: String, _ name: String) throws -> String {
        let key = try Environment.line(text, of: name)
        guard key.utf8.count <= Limits.keyBytes else {
            throw Failure("a key has at most \(Limits.keyBytes) bytes", .misuse)
        }
        return key
    }
}
