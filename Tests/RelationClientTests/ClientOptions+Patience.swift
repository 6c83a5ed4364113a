import PeerSupport
import RelationClient

extension ClientOptions {
    /// The options of a client of this machine, which waits for its answers until a test hangs.
    ///
    /// A busy machine may give a server no turn for longer than the usual timeout.
    static func patient(host: String = "127.0.0.1", port: Int) -> Self {
        var options = ClientOptions(host: host, port: port)
        options.timeout = .untilHung
        return options
    }
}
