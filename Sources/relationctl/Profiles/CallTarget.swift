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

    /// - Throws: ``Failure`` if the key is of another app: a server that asks for no credential
    ///   would act in the named app, and say nothing.
    init(
        server: ServerList, appID: UInt32?, credential: ClientCredential?,
        security: ClientSecurity, isEncrypted: Bool
    ) throws {
        self.server = server
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
            throw Failure("\(error)")
        }
    }
}
