import Glibc
import Testing
import TextFiles

/// Files that have no name any more, and end when they are closed.
enum UnnamedFile {
    /// - Parameter count: The length of the file; what stands behind `bytes` is zeros.
    static func opened(_ bytes: [UInt8], count: Int? = nil) throws -> InputFile {
        var path = Array("/tmp/relation.XXXXXX".utf8CString)
        let descriptor = mkstemp(&path)
        defer { close(descriptor) }
        let name = String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer { unlink(name) }
        #expect(write(descriptor, bytes, bytes.count) == bytes.count)
        if let count { #expect(ftruncate(descriptor, count) == 0) }
        return try InputFile.opened(name, keepingAtMost: 0)
    }
}
