import RelationClient
import Release

/// Where calls go, and as whom: what the options, the environment and a profile say together.
struct CallTarget {
    let server: ServerList
    /// The app to act in; nil leaves it to the server.
    let appID: UInt32?
    let credential: ClientCredential?
    let security: ClientSecurity
    let isEncrypted: Bool
    /// Whether a certificate of the client goes with the calls, which a server may take for one.
    let hasCertificate: Bool

    /// - Throws: ``Failure`` if the key is of another app: a server that asks for no credential
    ///   would act in the named app, and say nothing.
    init(
        server: ServerList, appID: UInt32?, credential: ClientCredential?,
        security: ClientSecurity, isEncrypted: Bool, hasCertificate: Bool = false
    ) throws {
        self.server = server
        self.hasCertificate = hasCertificate
        self.credential = credential
        self.security = security
        self.isEncrypted = isEncrypted
        guard case .apiKey(let text)? = credential, let key = KeyText(text), key.appID != 0 else {
            self.appID = appID
            return
        }
        try key.check(appID)
        self.appID = key.appID
    }

    /// The same server and app without a credential.
    var withoutCredential: CallTarget {
        get throws {
            try CallTarget(
                server: server, appID: appID, credential: nil, security: security,
                isEncrypted: isEncrypted, hasCertificate: hasCertificate)
        }
    }

    /// A client of the server, which closes after the calls.
    func client(isCompressing: Bool) throws -> Client {
        var options = ClientOptions(servers: server.addresses)
        options.appID = appID
        options.credential = credential
        options.isCompressing = isCompressing
        options.program = "relationctl/\(Version.text)"
        options.security = security
        do throws(OptionsError) {
            return try Client(options)
        } catch {
            throw Self.failure("\(error)")
        }
    }

    /// An error of the client's options, which have other names on the command line.
    private static func failure(_ text: String) -> Failure {
        let names = [
            "security: the authorities ": "--tls-ca: ",
            "security: the certificate ": "--tls-cert: ",
            "security: the key ": "--tls-key: ", "security: serverName ": "--tls-name ",
            "credential: the key ": "--key: the key ",
            "credential: the signature ": "--user-sig: the signature ",
        ]
        guard let (words, name) = names.first(where: { text.hasPrefix($0.key) }) else {
            return Failure("\(text)")
        }
        // A file that cannot be read or used is not an error of the command.
        let isOfFile = text.hasPrefix("security: the ")
        return Failure("\(name + text.dropFirst(words.count))", isOfFile ? .failed : .misuse)
    }
}
