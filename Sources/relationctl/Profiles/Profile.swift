/// The server of a profile, with the app and the key that go to it.
struct Profile: Equatable {
    var server: String
    var app: UInt32?
    var key: String?
    var tls = false
    var tlsCA: String?
    var tlsName: String?
}
