internal import Glibc
internal import Synchronization

/// A file that is read several times from its beginning, in pieces.
///
/// A stream, such as a pipe or standard input, can be read only once. So it is kept in a file
/// without a name first, which ends with the process.
package final class InputFile: Sendable {
    /// The path, or the words for standard input.
    package let name: String
    /// It is opened before `init`, and closed in `deinit`.
    private let descriptor: Int32
    /// The offset of the first byte.
    private let start: Int64

    /// Whether standard input was taken by an earlier file: it can be read only once.
    private static let isInputTaken = Mutex(false)

    private init(_ name: String, _ descriptor: Int32, from start: Int64 = 0) {
        self.name = name
        self.descriptor = descriptor
        self.start = start
    }

    deinit {
        close(descriptor)
    }

    /// Opens a file, or standard input for `-`.
    ///
    /// - Parameter limit: The most bytes of a stream that are kept.
    /// - Throws: ``InputFileError`` if it cannot be opened, or cannot be kept.
    package static func opened(
        _ path: String, keepingAtMost limit: Int64
    ) throws(InputFileError) -> InputFile {
        let name = path == "-" ? "standard input" : path
        if path == "-" { try takeInput() }
        let file = path == "-" ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) : openNamed(path)
        guard file >= 0 else { throw InputFileError(name, "cannot be read: \(words(errno))") }
        var status = stat()
        guard fstat(file, &status) == 0 else {
            close(file)
            throw InputFileError(name, "cannot be read: \(words(errno))")
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG:
            let offset = path == "-" ? Int64(lseek(file, 0, SEEK_CUR)) : 0
            return InputFile(name, file, from: max(0, offset))
        case S_IFDIR:
            close(file)
            throw InputFileError(name, "cannot be read: \(words(EISDIR))")
        default:
            defer { close(file) }
            return try kept(file, name, limit)
        }
    }

    /// Says that standard input is read.
    ///
    /// - Throws: ``InputFileError`` if it was read before: nothing would be left of it.
    package static func takeInput() throws(InputFileError) {
        let isFirst = isInputTaken.withLock { isTaken in
            defer { isTaken = true }
            return !isTaken
        }
        guard isFirst else { throw InputFileError("standard input", "can be read only once") }
    }

    private static func openNamed(_ path: String) -> Int32 { open(path, O_RDONLY | O_CLOEXEC) }

    /// The bytes from `offset` on, as many as there are and fit.
    package func read(
        at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
    ) throws(InputFileError) -> Int {
        while true {
            let count = pread(
                descriptor, buffer.baseAddress, buffer.count, off_t(start + offset))
            if count >= 0 { return count }
            guard errno == EINTR else {
                throw InputFileError(name, "cannot be read to its end: \(Self.words(errno))")
            }
        }
    }

    // MARK: Streams

    /// The bytes of a stream, in a file without a name.
    private static func kept(
        _ stream: Int32, _ name: String, _ limit: Int64
    ) throws(InputFileError) -> InputFile {
        let (file, folder) = unnamed()
        guard file >= 0 else {
            throw InputFileError(
                name, "is a stream, and cannot be kept in \(folder): \(words(errno))")
        }
        let input = InputFile(name, file)
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        var all: Int64 = 0
        while true {
            let count = Glibc.read(stream, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw InputFileError(name, "cannot be read: \(words(errno))") }
            guard count > 0 else { return input }
            all += Int64(count)
            guard all <= limit else {
                throw InputFileError(
                    name, "is a stream of more than \(limit) bytes: put it into a file first")
            }
            var rest = piece[..<count]
            while !rest.isEmpty {
                let written = rest.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
                if written < 0, errno == EINTR { continue }
                guard written > 0 else {
                    throw InputFileError(
                        name, "is a stream, and cannot be kept in \(folder): \(words(errno))")
                }
                rest = rest.dropFirst(written)
            }
        }
    }

    /// A new file that has no name, and the folder that it lies in.
    private static func unnamed() -> (file: Int32, folder: String) {
        // The other folder for long files: what lies in /tmp may take memory.
        let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/var/tmp"
        // The two bits of the system's own macro, which Swift does not see.
        let temporary = 0o20000000 | O_DIRECTORY
        let file = open(folder, temporary | O_RDWR | O_CLOEXEC, 0o600)
        if file >= 0 { return (file, folder) }
        // A file system may not know such files.
        var path = Array("\(folder)/relation.XXXXXX".utf8CString)
        let named = mkstemp(&path)
        if named >= 0 { unlink(path) }
        return (named, folder)
    }

    private static func words(_ error: Int32) -> String { String(cString: strerror(error)) }
}
