internal import Glibc

/// A file that is read into memory, once and from its beginning to its end: a stream is one too.
package enum SmallFile {
    /// How long a pipe that has a name may give nothing: a program that writes a key or a file of
    /// settings into it needs no longer.
    package static let pipeMilliseconds: Int32 = 60_000

    /// The bytes of a file, without a mark of UTF-8.
    ///
    /// - Parameters:
    ///   - path: The path; `-` is no other name here.
    ///   - limit: The most bytes that it may have.
    ///   - milliseconds: How long a pipe may give nothing.
    /// - Throws: ``InputFileError`` if it cannot be read, is longer, is packed, or has another
    ///   encoding.
    package static func bytes(
        of path: String, atMost limit: Int, waiting milliseconds: Int32 = pipeMilliseconds
    ) throws(InputFileError) -> [UInt8] {
        // Without this flag a pipe is opened when a program writes into it, if ever.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw unreadable(path) }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw unreadable(path) }
        if status.st_mode & S_IFMT == S_IFIFO {
            return try bytes(in: file, named: path, atMost: limit) { () throws(InputFileError) in
                try awaitBytes(in: file, path, milliseconds)
            }
        }
        _ = fcntl(file, F_SETFL, fcntl(file, F_GETFL) & ~O_NONBLOCK)
        return try bytes(in: file, named: path, atMost: limit)
    }

    /// Waits until a pipe has bytes, or has come to its end.
    private static func awaitBytes(
        in pipe: Int32, _ name: String, _ milliseconds: Int32
    ) throws(InputFileError) {
        while true {
            var item = pollfd(fd: pipe, events: Int16(POLLIN), revents: 0)
            let count = poll(&item, 1, milliseconds)
            if count > 0 { return }
            guard count == 0 else {
                if errno == EINTR { continue }
                throw unreadable(name)
            }
            throw InputFileError(
                name, "is a pipe into which nothing was written for \(milliseconds) milliseconds")
        }
    }

    /// The rest of an open file.
    ///
    /// - Parameter wait: Called before each read.
    package static func bytes(
        in file: Int32, named name: String, atMost limit: Int,
        _ wait: () throws(InputFileError) -> Void = {}
    ) throws(InputFileError) -> [UInt8] {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            try wait()
            let count = read(file, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN {
                // Another program has made it a stream that does not wait.
                var item = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
                _ = poll(&item, 1, -1)
                continue
            }
            guard count >= 0 else { throw unreadable(name) }
            guard count > 0 else { break }
            bytes += piece[..<count]
            guard bytes.count <= limit else {
                throw InputFileError(name, "is longer than \(limit) bytes")
            }
        }
        let mark = try ByteOrderMark.length(in: bytes, of: name)
        return mark == 0 ? bytes : Array(bytes.dropFirst(mark))
    }

    /// The text of a file in UTF-8, without its mark.
    package static func text(of path: String, atMost limit: Int) throws(InputFileError) -> String {
        try text(try bytes(of: path, atMost: limit), named: path)
    }

    /// The text of the rest of an open file.
    package static func text(
        in file: Int32, named name: String, atMost limit: Int
    ) throws(InputFileError) -> String {
        try text(try bytes(in: file, named: name, atMost: limit), named: name)
    }

    private static func text(_ bytes: [UInt8], named name: String) throws(InputFileError) -> String
    {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let first = lines.firstIndex { String(validating: $0, as: UTF8.self) == nil }
        throw InputFileError(name, "is not UTF-8 in line \((first ?? 0) + 1)")
    }

    private static func unreadable(_ name: String) -> InputFileError {
        InputFileError(name, "cannot be read: \(String(cString: strerror(errno)))")
    }
}
