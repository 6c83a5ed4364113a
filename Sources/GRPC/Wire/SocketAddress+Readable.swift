import NIOCore

extension SocketAddress {
    /// The address for people: `127.0.0.1:7450`, `[::1]:7450`, or `unix:PATH`.
    var readable: String {
        guard let host = ipAddress, let port else {
            return pathname.map { $0.isEmpty ? "unix" : "unix:\($0)" } ?? "\(self)"
        }
        return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
