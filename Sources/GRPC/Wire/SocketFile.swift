import GRPCWire
import Glibc
import NIOCore

/// The file of a Unix domain socket, which stays when a server is killed.
struct SocketFile {
    private let path: String
    /// With ``number``, identifies the file, even if another file takes its path.
    private let device: dev_t
    private let number: ino_t

    /// Identifies the file that is at that path; nil if there is none.
    private init?(at path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        self.path = path
        device = status.st_dev
        number = status.st_ino
    }

    /// Makes a socket that listens at that path.
    ///
    /// SwiftNIO does not do this, because it removes any file at the path when it closes a socket
    /// that it has bound by itself.
    ///
    /// - Parameter mode: The mode of the file, which says who may connect; nil leaves it to the
    ///   umask of the process.
    /// - Returns: The file and the socket's descriptor.
    /// - Throws: `IOError` with the reason, as in ``makeRoom(at:)``.
    static func listen(
        at path: String, mode: UInt32? = nil
    ) throws -> (file: SocketFile?, descriptor: Int32) {
        try makeRoom(at: path)
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_UNIX, kind, 0)
        guard descriptor >= 0 else { throw IOError(errnoCode: errno, reason: "socket") }
        do {
            // The file gets the mode of the socket when it is made, less what the umask takes: it
            // is never open to more users than it will be.
            if let mode, fchmod(descriptor, mode) != 0 {
                throw IOError(errnoCode: errno, reason: "fchmod")
            }
            try SocketAddress(unixDomainSocketPath: path).withSockAddr { address, size in
                guard bind(descriptor, address, socklen_t(size)) == 0 else {
                    throw IOError(errnoCode: errno, reason: "bind")
                }
            }
            // No client is accepted before this gives back what the umask took.
            if let mode, chmod(path, mode) != 0 { throw IOError(errnoCode: errno, reason: "chmod") }
            guard Glibc.listen(descriptor, CallLimits.waitingConnections) == 0 else {
                throw IOError(errnoCode: errno, reason: "listen")
            }
        } catch {
            close(descriptor)
            throw error
        }
        return (SocketFile(at: path), descriptor)
    }

    /// Removes the file, unless another file has taken its path.
    ///
    /// Our file may have been removed, and another server may listen there now.
    ///
    /// Call this only while the socket is bound: after that the number of its file may belong to
    /// another file.
    func remove() {
        guard let now = SocketFile(at: path), now.device == device, now.number == number
        else { return }
        unlink(path)
    }

    /// Removes a socket on which no server listens any more.
    ///
    /// - Throws: `IOError` if a server listens or may listen on it, or if the file is not a socket.
    private static func makeRoom(at path: String) throws {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw IOError(errnoCode: EEXIST, reason: "bind")
        }
        guard try !isListening(path) else { throw IOError(errnoCode: EADDRINUSE, reason: "bind") }
        unlink(path)
    }

    /// Whether a server listens, or may listen, at that path.
    ///
    /// Only a refused connection says that no server listens. A busy server has no room for us, and
    /// a server of another user may not let us in.
    private static func isListening(_ path: String) throws -> Bool {
        // The socket does not block: a server with a full queue would make `connect` wait.
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let descriptor = socket(AF_UNIX, kind, 0)
        guard descriptor >= 0 else { throw IOError(errnoCode: errno, reason: "socket") }
        defer { close(descriptor) }
        return try SocketAddress(unixDomainSocketPath: path).withSockAddr { address, size in
            guard connect(descriptor, address, socklen_t(size)) != 0 else { return true }
            return errno != ECONNREFUSED && errno != ENOENT
        }
    }
}
