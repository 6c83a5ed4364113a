import ArgumentParser
import Glibc
import RelationClient

struct Login: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Keep the address of a server, the app and the key, for later commands.",
        discussion: """
            The key comes from standard input, so that no list of processes shows it; an empty \
            line keeps none. The profile becomes the current one. Its key goes only to its own \
            server.

            relationctl login work --server relation.example:7450 --tls-ca ca.pem < key.txt
            relationctl --profile work call GetLimits
            """)

    @OptionGroup var connection: Connection

    @Option(help: "The server's pages for operators, which top, slow and connections read.")
    var pages: String?

    @Argument(help: "The name of the profile.")
    var name = "default"

    func validate() throws {
        guard ProfileFile.isName(name) else {
            throw ValidationError(
                "the name of a profile has 1 to \(Limits.profileNameBytes) letters, digits, "
                    + "'-', '_' or '.'")
        }
    }

    func run() throws {
        var file = try ProfileFile()
        var profile = Profile(server: try connection.address(nil).description)
        profile.app = connection.app
        profile.pages = try pages.map { try PagesOptions.address($0, "--pages").text }
        let security = connection.security
        guard security.tlsCert == nil, connection.userSig == nil else {
            throw Failure("a profile keeps no client certificate and no --user-sig", .misuse)
        }
        profile.tls = security.isOn
        profile.tlsCA = try security.tlsCA.map(Self.whole)
        profile.tlsName = security.tlsName
        let key = connection.key ?? Self.keyOfInput()
        guard key.utf8.count <= Limits.keyBytes else {
            throw Failure("a key has at most \(Limits.keyBytes) bytes", .misuse)
        }
        profile.key = key.isEmpty ? nil : key
        try KeyText(key)?.check(profile.app)
        try file.keep(profile, as: name)
        _ = try StandardOutput.print("profile \(name) is kept in \(file.path)")
    }

    /// The path from the root, since later commands may run elsewhere.
    private static func whole(_ path: String) throws -> String {
        guard let whole = realpath(path, nil) else {
            throw Failure("\(path): \(String(cString: strerror(errno)))")
        }
        defer { free(whole) }
        return String(cString: whole)
    }

    private static func keyOfInput() -> String {
        if isatty(STDIN_FILENO) == 1 {
            return getpass("Key (empty for none): ").map { String(cString: $0) } ?? ""
        }
        return readLine() ?? ""
    }
}
