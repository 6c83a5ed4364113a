import Glibc
import TextFiles

/// Reads a text file line by line, in memory that does not depend on the file's length.
///
/// A mark of UTF-8 at the beginning is skipped, and so are blank lines and those that begin with #.
/// A line may end in a carriage return before its line feed, as in files from elsewhere.
struct LineReader: ~Copyable {
    /// The longest line: room for a circle of 10,000 members with long names.
    static let lineBytes = 1 << 20

    struct Line {
        let text: String
        /// The position of the line: the file's path and the line's number, from 1 on.
        let location: String
    }

    private let file: InputFile
    /// The number of the line that was read last, from 1 on.
    private(set) var number = 0
    /// It is made in `init`, and freed in `deinit`.
    private let buffer = UnsafeMutableRawBufferPointer.allocate(
        byteCount: lineBytes + 1, alignment: 1)
    /// The bytes of `buffer` that were read from the file and belong to no line yet.
    private var unread = 0..<0
    /// The bytes of the file that were read.
    private var offset: Int64 = 0

    init(_ file: InputFile) {
        self.file = file
    }

    deinit {
        buffer.deallocate()
    }

    /// The next line that says something, or nil at the end of the file.
    ///
    /// - Throws: ``Failure`` if the file cannot be read to its end, is not UTF-8, or has a line
    ///   that is longer than ``lineBytes``.
    mutating func next() throws -> Line? {
        while let line = try nextRange() {
            number += 1
            var bytes = UnsafeRawBufferPointer(rebasing: buffer[line])
            if bytes.last == UInt8(ascii: "\r") { bytes = .init(rebasing: bytes.dropLast()) }
            if Self.isBlank(bytes) { continue }
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw Failure("\(location): is not UTF-8")
            }
            return Line(text: text, location: location)
        }
        return nil
    }

    /// The bytes of the next line, whatever it says, without its line feed; nil at the end of the
    /// file.
    ///
    /// They are valid until the next call.
    mutating func nextBytes() throws -> UnsafeRawBufferPointer? {
        guard let line = try nextRange() else { return nil }
        number += 1
        return UnsafeRawBufferPointer(rebasing: buffer[line])
    }

    /// The position of the line that was read last.
    var location: String { "\(file.name):\(number)" }

    /// Whether a line is blank, or a comment, after blanks and tabs.
    private static func isBlank(_ line: UnsafeRawBufferPointer) -> Bool {
        let first = line.first { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
        return first == nil || first == UInt8(ascii: "#")
    }

    /// The position of the next line in `buffer`, without its line feed; valid until the next call.
    private mutating func nextRange() throws -> Range<Int>? {
        while true {
            if let end = endOfLine {
                defer { unread = end + 1..<unread.upperBound }
                return unread.lowerBound..<end
            }
            guard unread.count <= Self.lineBytes else {
                throw Failure("\(file.name):\(number + 1): is longer than \(Self.lineBytes) bytes")
            }
            guard try readMore() else {
                guard !unread.isEmpty else { return nil }
                defer { unread = 0..<0 }
                return unread
            }
        }
    }

    /// The position of the next line feed, if it has been read.
    private var endOfLine: Int? {
        // A buffer that is not empty has an address, and the range lies within it.
        let start = buffer.baseAddress!
        let end = memchr(start + unread.lowerBound, Int32(UInt8(ascii: "\n")), unread.count)
        return end.map { $0 - start }
    }

    /// Reads on after the bytes that belong to no line yet.
    ///
    /// - Returns: Whether there was more.
    private mutating func readMore() throws -> Bool {
        UnsafeMutableRawBufferPointer(rebasing: buffer[..<unread.count])
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[unread]))
        unread = 0..<unread.count
        let room = unread.count..<min(buffer.count, unread.count + (1 << 16))
        let isBeginning = offset == 0
        do throws(InputFileError) {
            let count = try file.read(
                at: offset, into: UnsafeMutableRawBufferPointer(rebasing: buffer[room]))
            offset += Int64(count)
            unread = 0..<unread.count + count
            if isBeginning {
                let beginning = UnsafeRawBufferPointer(rebasing: buffer[unread])
                unread = try ByteOrderMark.length(in: beginning, of: file.name)..<unread.count
            }
            return count > 0
        } catch {
            throw Failure(error)
        }
    }
}

extension InputFile {
    /// Opens a file of a command, or standard input for `-`.
    static func opened(_ path: String) throws -> InputFile {
        do throws(InputFileError) {
            return try opened(path, keepingAtMost: Limits.streamBytes)
        } catch {
            throw Failure(error)
        }
    }
}
