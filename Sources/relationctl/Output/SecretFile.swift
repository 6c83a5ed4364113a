import Glibc

/// A new file of one line for a secret, which only its owner may read.
///
/// A file that is at the path already stays as it is.
struct SecretFile {
    private let path: String
    private let descriptor: Int32

    /// Makes the file.
    ///
    /// - Throws: ``Failure``: there is something at the path, or it cannot be made.
    init(_ path: String) throws {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        descriptor = open(path, flags, 0o600)
        self.path = path
        guard descriptor >= 0 else {
            guard errno != EEXIST else {
                throw Failure("\(path) is there already, and is left as it is: name another file")
            }
            throw failure
        }
    }

    private var failure: Failure { Failure("\(path): \(String(cString: strerror(errno)))") }

    /// Writes the secret, and waits until it is on the disk.
    func write(_ secret: String) throws {
        guard Bytes.write(secret + "\n", to: descriptor) else { throw failure }
        guard fsync(descriptor) == 0 || errno == EINVAL else { throw failure }
        guard close(descriptor) == 0 else { throw failure }
    }

    /// Takes the file away again, since there is no secret for it.
    func remove() { unlink(path) }
}
