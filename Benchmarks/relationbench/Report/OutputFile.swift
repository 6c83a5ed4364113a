import Glibc

/// A file that is written from its beginning, in the place of everything that it holds.
final class OutputFile {
    private let path: String
    private var file: UnsafeMutablePointer<FILE>?

    init(_ path: String) throws(FloodError) {
        self.path = path
        file = fopen(path, "we")
        guard file != nil else { throw FloodError(system: path) }
    }

    deinit { if let file { fclose(file) } }

    /// Adds `bytes`, which stand in the file after ``close()``.
    func append(_ bytes: [UInt8]) throws(FloodError) {
        guard let file, fwrite(bytes, 1, bytes.count, file) == bytes.count else {
            throw FloodError(system: path)
        }
    }

    /// Writes the rest, and ends the file.
    func close() throws(FloodError) {
        guard let file else { return }
        self.file = nil
        guard fclose(file) == 0 else { throw FloodError(system: path) }
    }

    /// Puts `bytes` into the file at `path`.
    static func write(_ bytes: [UInt8], to path: String) throws(FloodError) {
        let file = try OutputFile(path)
        try file.append(bytes)
        try file.close()
    }

    static func write(_ text: String, to path: String) throws(FloodError) {
        try write(Array(text.utf8), to: path)
    }
}
