import Glibc

extension ListenAddress {
    /// Looks whether a server can listen here.
    ///
    /// A start does so before it makes its data folder, and so leaves nothing if the address is
    /// taken. Another process may still take the address between the check and the start.
    ///
    /// - Throws: ``FatalError`` in the system's words.
    func probe() throws {
        guard let failure else { return }
        throw FatalError("cannot listen on \(self): \(String(cString: strerror(failure)))")
    }

    /// Whether another program listens here.
    var isTaken: Bool { failure == EADDRINUSE }

    /// Why no server can listen here, as a number of the system; nil if one can, or if only the
    /// start itself can find out.
    private var failure: Int32? {
        // The start itself says why a name has no address.
        guard case .port(let port, let host) = self, port != 0,
            let error = Self.bound(port, host), error != 0
        else { return nil }
        return error
    }

    /// Looks whether a server could listen here, if no other one did.
    ///
    /// - Throws: ``FatalError`` in the system's words.
    func checkAddress() throws {
        switch self {
        case .port(let port, let host):
            guard let error = Self.bound(port, host) else {
                throw FatalError("cannot listen on \(self): the name has no address")
            }
            guard error == 0 || error == EADDRINUSE else {
                throw FatalError("cannot listen on \(self): \(String(cString: strerror(error)))")
            }
        case .socket(let path):
            guard path.utf8.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path) else {
                throw FatalError("cannot listen on \(self): the path is too long for a socket")
            }
            var status = stat()
            if lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFSOCK {
                throw FatalError("cannot listen on \(self): there is a file that is not a socket")
            }
            let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
            guard access(folder, W_OK | X_OK) == 0 else {
                throw FatalError("cannot listen on \(self): \(String(cString: strerror(errno)))")
            }
        }
    }

    /// Whether two servers could not listen on both.
    func isSame(as other: ListenAddress) -> Bool {
        guard case .port(let port, let host) = self,
            case .port(let otherPort, let otherHost) = other
        else { return false }
        let all = ["0.0.0.0", "::"]
        return port != 0 && port == otherPort
            && (host == otherHost || all.contains(host) || all.contains(otherHost))
    }

    /// Binds a socket to the address for a short time.
    ///
    /// - Returns: The system's error, or 0; nil if the name has no address.
    private static func bound(_ port: Int, _ host: String) -> Int32? {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_PASSIVE
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, "\(port)", &hints, &list) == 0, let list else { return nil }
        defer { freeaddrinfo(list) }
        let address = list.pointee
        let file = Glibc.socket(
            address.ai_family, address.ai_socktype | Int32(SOCK_CLOEXEC.rawValue),
            address.ai_protocol)
        guard file >= 0 else { return errno }
        defer { close(file) }
        var isOn: Int32 = 1
        setsockopt(file, SOL_SOCKET, SO_REUSEADDR, &isOn, socklen_t(MemoryLayout<Int32>.size))
        return bind(file, address.ai_addr, address.ai_addrlen) == 0 ? 0 : errno
    }
}
