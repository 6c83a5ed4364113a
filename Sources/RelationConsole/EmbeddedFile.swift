internal import CConsole

/// A file that stands in the program.
struct EmbeddedFile: Sendable {
    private let index: Int

    /// All of them, in the order of their list.
    static var all: [EmbeddedFile] { (0..<console_file_count()).map { EmbeddedFile(index: $0) } }

    /// The path below the folder of all files.
    var path: String { String(cString: console_file_at(index).path) }

    /// A copy of the content.
    var bytes: [UInt8] {
        let file = console_file_at(index)
        // The bytes are a constant of the program, and so many.
        return Array(UnsafeBufferPointer(start: file.bytes, count: file.count))
    }
}
