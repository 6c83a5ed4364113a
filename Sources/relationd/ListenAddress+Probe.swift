import Glibc

extension ListenAddress {
    /// Looks whether a server can listen here.
    ///
    /// A start does so before it makes its data folder, and so leaves nothing behind if the address
    /// is taken. Another process may still take the address between the look and the start.
    ///
    /// - Throws: ``Failure`` in the system's words.
    func probe() throws {
        guard let fault else { return }
        throw Failure("cannot listen on \(self): \(String(cString: strerror(fault)))")
    }

    /// Whether another program listens here.
    var isTaken: Bool { fault == EADDRINUSE }

    /// Why no server can listen here, as a number of the system; nil if one can, or if only the
    /// start itself can tell.
    private var fault: Int32? {
        guard case .port(let port, let host) = self else { return nil }
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_PASSIVE
        var list: UnsafeMutablePointer<addrinfo>?
        // The start itself says why a name has no address.
        guard port != 0, getaddrinfo(host, "\(port)", &hints, &list) == 0, let list else {
            return nil
        }
        defer { freeaddrinfo(list) }
        let address = list.pointee
        let file = Glibc.socket(
            address.ai_family, address.ai_socktype | Int32(SOCK_CLOEXEC.rawValue),
            address.ai_protocol)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var isOn: Int32 = 1
        setsockopt(file, SOL_SOCKET, SO_REUSEADDR, &isOn, socklen_t(MemoryLayout<Int32>.size))
        return bind(file, address.ai_addr, address.ai_addrlen) == 0 ? nil : errno
    }
}
