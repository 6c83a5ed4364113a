import Glibc

/// Reads a text file line by line, in memory that does not depend on the file's length.
///
/// Blank lines and lines that begin with # are skipped. A line may end in a carriage return before
/// its line feed, as in files from elsewhere.
struct LineReader: ~Copyable {
    /// The longest line: room for a circle of 10,000 members with long names.
    static let lineBytes = 1 << 20

    struct Line {
        let text: String
        /// The place of the line: the file's path and the line's number, from 1 on.
        let location: String
    }

    let path: String
    /// It is opened in `init`, and closed in `deinit`.
    private let file: UnsafeMutablePointer<FILE>
    private var number = 0
    private var buffer = [UInt8](repeating: 0, count: lineBytes + 1)
    /// The bytes of `buffer` that were read from the file and belong to no line yet.
    private var unread = 0..<0

    /// - Throws: ``Failure`` in the system's words if the file cannot be opened.
    init(_ path: String) throws {
        guard let file = fopen(path, "re") else {
            throw Failure("\(path): \(String(cString: strerror(errno)))")
        }
        self.path = path
        self.file = file
    }

    deinit {
        fclose(file)
    }

    /// The next line that says something, or nil at the end of the file.
    ///
    /// - Throws: ``Failure`` if the file cannot be read to its end, is not UTF-8, or has a line
    ///   that is longer than ``lineBytes``.
    mutating func next() throws -> Line? {
        while var bytes = try nextBytes() {
            number += 1
            if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
            if bytes.isEmpty || bytes.first == UInt8(ascii: "#") { continue }
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw Failure("\(path):\(number): is not UTF-8")
            }
            return Line(text: text, location: "\(path):\(number)")
        }
        return nil
    }

    /// The next line without its line feed.
    private mutating func nextBytes() throws -> ArraySlice<UInt8>? {
        while true {
            if let end = buffer[unread].firstIndex(of: UInt8(ascii: "\n")) {
                defer { unread = end + 1..<unread.upperBound }
                return buffer[unread.lowerBound..<end]
            }
            guard unread.count <= Self.lineBytes else {
                throw Failure("\(path):\(number + 1): is longer than \(Self.lineBytes) bytes")
            }
            guard try readMore() else {
                guard !unread.isEmpty else { return nil }
                defer { unread = 0..<0 }
                return buffer[unread]
            }
        }
    }

    /// Reads on behind the bytes that belong to no line yet.
    ///
    /// - Returns: Whether there was more.
    private mutating func readMore() throws -> Bool {
        buffer.replaceSubrange(0..<unread.count, with: buffer[unread])
        unread = 0..<unread.count
        let room = buffer.count - unread.count
        let count = buffer.withUnsafeMutableBytes {
            fread($0.baseAddress! + unread.count, 1, min(room, 1 << 16), file)
        }
        guard count > 0 || ferror(file) == 0 else {
            throw Failure("\(path): cannot be read to its end")
        }
        unread = 0..<unread.count + count
        return count > 0
    }
}
