import Glibc
import NIOCore

/// The file of a Unix domain socket, which outlives a server that was killed.
enum SocketFile {
    /// Removes a socket that nobody listens on any more.
    ///
    /// - Throws: `IOError` if somebody does or may do, or if the file is no socket.
    static func makeRoom(at path: String) throws {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw IOError(errnoCode: EEXIST, reason: "bind")
        }
        guard try !isListening(path) else { throw IOError(errnoCode: EADDRINUSE, reason: "bind") }
        remove(path)
    }

    /// Removes the file; that there is none any more is as good.
    static func remove(_ path: String) {
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
