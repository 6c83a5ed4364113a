import RelationClient

/// The server of a profile, with the app and the key that go to it.
struct ServerProfile: Equatable {
    var server: String
    var app: UInt32?
    var key: String?
    var tls = false
    var tlsCA: String?
    var tlsName: String?
    /// The address of the server's pages for operators, as `--pages` takes it.
    var pages: String?

    /// The encryption of the server and of its pages; nil without it.
    var security: ClientSecurity? {
        guard tls else { return nil }
        return .tls(authorities: tlsCA.map { .file($0) }, serverName: tlsName)
    }
}
