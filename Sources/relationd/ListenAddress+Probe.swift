import Glibc

extension ListenAddress {
    /// Looks whether a server can listen here.
    ///
    /// A start does so before it makes its data folder, and so leaves nothing behind if the address
    /// is taken. Another process may still take the address between the look and the start.
    ///
    /// - Throws: ``Failure`` in the system's words.
    func probe() throws {
        switch self {
        case .socket: return
        case .port(let port, let host):
            var hints = addrinfo()
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
            hints.ai_flags = AI_PASSIVE
            var list: UnsafeMutablePointer<addrinfo>?
            // The start itself says why a name has no address.
            guard port != 0, getaddrinfo(host, "\(port)", &hints, &list) == 0, let list else {
                return
            }
            defer { freeaddrinfo(list) }
            let address = list.pointee
            let file = Glibc.socket(
                address.ai_family, address.ai_socktype | Int32(SOCK_CLOEXEC.rawValue),
                address.ai_protocol)
            guard file >= 0 else { return }
            defer { close(file) }
            var isOn: Int32 = 1
            setsockopt(
                file, SOL_SOCKET, SO_REUSEADDR, &isOn, socklen_t(MemoryLayout<Int32>.size))
            guard bind(file, address.ai_addr, address.ai_addrlen) == 0 else {
                throw Failure("cannot listen on \(self): \(String(cString: strerror(errno)))")
            }
        }
    }
}
