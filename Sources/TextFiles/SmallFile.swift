internal import Glibc

/// A file that is read into memory, once and from its beginning to its end: a stream is one too.
package enum SmallFile {
    /// The bytes of a file, without a mark of UTF-8.
    ///
    /// - Parameters:
    ///   - path: The path; `-` is no other name here.
    ///   - limit: The most bytes that it may have.
    /// - Throws: ``InputFileError`` if it cannot be read, is longer, or has another encoding.
    package static func bytes(
        of path: String, atMost limit: Int
    ) throws(InputFileError) -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw unreadable(path) }
        defer { close(file) }
        return try bytes(in: file, named: path, atMost: limit)
    }

    /// The rest of an open file.
    package static func bytes(
        in file: Int32, named name: String, atMost limit: Int
    ) throws(InputFileError) -> [UInt8] {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(file, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
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
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw InputFileError(name, "is not UTF-8")
        }
        return text
    }

    private static func unreadable(_ name: String) -> InputFileError {
        InputFileError(name, "cannot be read: \(String(cString: strerror(errno)))")
    }
}
