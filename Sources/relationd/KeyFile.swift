import Glibc

/// A new file for the key of an operator, which only its owner may read.
///
/// The file is there before anything happens that needs it. It is removed again
/// unless ``persist()`` was called.
final class KeyFile {
    let path: String
    /// It is opened in `init` and closed in `deinit`.
    private let descriptor: Int32
    private var isKept = false
    /// Whether the key is on the disk.
    private(set) var holdsKey = false

    /// Makes the file.
    ///
    /// - Throws: ``FatalError``: there is something at the path, or it cannot be made.
    init(_ path: String) throws {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let descriptor = open(path, flags, 0o600)
        guard descriptor >= 0 else {
            guard errno == EEXIST else { throw Self.failure("cannot be made", path) }
            throw FatalError(
                "the key file \(path) is there already, and is left as it is: name another one")
        }
        self.path = path
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
        if !isKept { unlink(path) }
    }

    /// Writes the key, and waits until it is on the disk, and the name of its file too.
    ///
    /// - Throws: ``FatalError`` if the file system does not take it.
    func write(_ key: String) throws {
        var rest = Array("\(key)\n".utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count >= 0 || errno == EINTR else {
                throw Self.failure("cannot be written", path)
            }
            rest = rest.dropFirst(max(0, count))
        }
        guard fsync(descriptor) == 0, Self.syncFolder(of: path) else {
            throw Self.failure("cannot be written", path)
        }
        holdsKey = true
    }

    /// Leaves the file where it is, with what it holds.
    func persist() { isKept = true }

    private static func syncFolder(of path: String) -> Bool {
        let parent = path.lastIndex(of: "/").map { path[...$0] } ?? "."
        let folder = open(String(parent), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { return false }
        defer { close(folder) }
        // Some file systems cannot sync a folder.
        return fsync(folder) == 0 || errno == EINVAL
    }

    private static func failure(_ what: String, _ path: String) -> FatalError {
        FatalError("the key file \(path) \(what): \(String(cString: strerror(errno)))")
    }
}
