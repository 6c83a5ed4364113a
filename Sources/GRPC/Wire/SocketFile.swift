import Glibc
import NIOCore

/// The file of a Unix domain socket, which outlives a server that was killed.
struct SocketFile {
    private let path: String
    /// What tells the file from another one in its place.
    private let device: dev_t
    private let number: ino_t

    /// The file that is at that path; nil if there is none.
    private init?(at path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        self.path = path
        device = status.st_dev
        number = status.st_ino
    }

    /// Makes a socket that listens at that path.
    ///
    /// Not left to SwiftNIO, which removes whatever is at the path when it closes a socket that it
    /// has bound by itself.
    ///
    /// - Parameter mode: Who may connect; nil leaves that to the process's own.
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
            try SocketAddress(unixDomainSocketPath: path).withSockAddr { address, size in
                guard bind(descriptor, address, socklen_t(size)) == 0 else {
                    throw IOError(errnoCode: errno, reason: "bind")
                }
            }
            // Before anybody is let in.
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

    /// Removes the file, unless another one is in its place: somebody may have removed ours, and
    /// another server may listen there now.
    ///
    /// Only while the socket is bound: its file keeps its number as long as that.
    func remove() {
        guard let now = SocketFile(at: path), now.device == device, now.number == number
        else { return }
        unlink(path)
    }

    /// Removes a socket that nobody listens on any more.
    ///
    /// - Throws: `IOError` if somebody does or may do, or if the file is no socket.
    private static func makeRoom(at path: String) throws {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw IOError(errnoCode: EEXIST, reason: "bind")
        }
        guard try !isListening(path) else { throw IOError(errnoCode: EADDRINUSE, reason: "bind") }
        unlink(path)
    }

    /// Only a refusal says that nobody does: a server that is busy has no room for us, and one of
    /// another user may not let us in.
    private static func isListening(_ path: String) throws -> Bool {
        // It waits for nobody: one whose queue is full would keep it waiting.
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
