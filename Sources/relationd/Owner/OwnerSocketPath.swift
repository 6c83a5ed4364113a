import Glibc

/// The path of the owner's socket in a data folder.
///
/// The system takes no long path of a socket. So the folder is opened, and the socket is named
/// through that: a folder may lie as deep as it likes.
struct OwnerSocketPath: ~Copyable {
    static let file = "operator.sock"

    /// It is opened in `init` and closed in `deinit`.
    let folder: Int32

    init(_ path: String) throws(OwnerChannel.ChannelError) {
        folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw .system("\(path) cannot be opened") }
    }

    deinit {
        close(folder)
    }

    /// Makes the socket, and listens on it; one that a killed server left is removed.
    ///
    /// Call it only while the folder is held.
    func listen() throws(OwnerChannel.ChannelError) -> Int32 {
        try remove()
        let descriptor = try Self.socket()
        guard named({ bind(descriptor, $0, $1) }) == 0,
            // The umask left others nothing; the owner needs no more than to connect.
            fchmodat(folder, Self.file, 0o600, 0) == 0,
            Glibc.listen(descriptor, Int32(OwnerLimits.waiting)) == 0
        else {
            defer { close(descriptor) }
            throw .system("the socket \(Self.file) cannot be made")
        }
        return descriptor
    }

    func connect() throws(OwnerChannel.ChannelError) -> Int32 {
        let descriptor = try Self.socket()
        guard named({ Glibc.connect(descriptor, $0, $1) }) == 0 else {
            defer { close(descriptor) }
            throw .system("its socket \(Self.file) does not answer")
        }
        return descriptor
    }

    /// Removes the socket; anything else of its name stays.
    func remove() throws(OwnerChannel.ChannelError) {
        var status = stat()
        guard fstatat(folder, Self.file, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw OwnerChannel.ChannelError("\(Self.file) is there, and is not a socket")
        }
        guard unlinkat(folder, Self.file, 0) == 0 else {
            throw .system("the old socket \(Self.file) cannot be removed")
        }
    }

    private static func socket() throws(OwnerChannel.ChannelError) -> Int32 {
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = Glibc.socket(AF_UNIX, kind, 0)
        guard descriptor >= 0 else { throw .system("the system has no socket") }
        return descriptor
    }

    private func named(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let path = "/proc/self/fd/\(folder)/\(Self.file)"
        withUnsafeMutableBytes(of: &address.sun_path) { room in
            // The path has some dozen bytes, and the room 108; what is left stays 0.
            room.copyBytes(from: path.utf8)
        }
        return withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                body(address, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
