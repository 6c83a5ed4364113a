import RelationClient
import Release

/// Where calls go, and as whom: what the options, the environment and a profile say together.
struct Place {
    let server: ServerAddress
    /// The app to act in; nil leaves it to the server.
    let appID: UInt32?
    let credential: ClientCredential?
    let security: ClientSecurity
    let isEncrypted: Bool

    /// - Throws: ``Failure`` if the key is of another app: a server that asks for no credential
    ///   would act in the named app, and say nothing.
    init(
        server: ServerAddress, appID: UInt32?, credential: ClientCredential?,
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

    /// A client of the server, which closes behind the calls.
    func client(isCompressing: Bool) throws -> Client {
        var options = ClientOptions(servers: [server])
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

/// The text of an API key, `APP.NAME.SECRET`.
struct KeyText {
    /// 0 for a key of an operator.
    let appID: UInt32
    /// The public part: the id of the credential.
    let name: String

    /// Reads the first two parts; nil if the text has no such parts.
    init?(_ text: String) {
        let parts = text.split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[1].isEmpty, parts[0].utf8.count <= 10,
            parts[0].utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let appID = UInt32(parts[0])
        else { return nil }
        self.appID = appID
        name = String(parts[1])
    }

    /// - Throws: ``Failure`` if the key is of another app than this one.
    func check(_ wanted: UInt32?) throws {
        guard appID != 0, let wanted, wanted != appID else { return }
        throw Failure(
            "the key is of app \(appID), and the call is for app \(wanted): use a key of app "
                + "\(wanted), or leave out the app", .notAllowed)
    }
}
