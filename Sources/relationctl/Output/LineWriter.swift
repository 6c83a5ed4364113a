import Glibc

/// A file that is written from its beginning or on from its end, and that only its owner may read.
struct LineWriter {
    private let path: String
    private let descriptor: Int32

    /// - Parameter isGoingOn: Whether the file keeps what it has.
    /// - Throws: ``Failure`` in the system's words if the file cannot be made.
    init(_ path: String, isGoingOn: Bool = false) throws {
        self.path = path
        let how = isGoingOn ? O_APPEND : O_TRUNC
        descriptor = open(path, O_WRONLY | O_CREAT | how | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure }
    }

    private var failure: Failure { Failure("\(path): \(String(cString: strerror(errno)))") }

    func write(_ text: String) throws {
        guard Bytes.write(text, to: descriptor) else { throw failure }
    }

    /// Ends the file when its bytes are on disk.
    ///
    /// A device or a pipe has no disk, and is only closed.
    func close() throws {
        guard fsync(descriptor) == 0 || errno == EINVAL || errno == EROFS else { throw failure }
        guard Glibc.close(descriptor) == 0 else { throw failure }
    }
}
