import Glibc

/// A file that is written from its beginning, in large parts.
final class OutputFile {
    private let path: String
    private var descriptor: Int32
    private var bytes: [UInt8] = []

    /// Begins the file at `path`, in the place of everything that it holds.
    init(_ path: String) throws(FloodError) {
        self.path = path
        descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw FloodError(system: path) }
    }

    deinit {
        if descriptor >= 0 { Glibc.close(descriptor) }
    }

    /// Adds `text`, which stands in the file after ``close()``.
    func append(_ text: String) throws(FloodError) {
        bytes.append(contentsOf: text.utf8)
        if bytes.count >= GrowthLimits.outputBytes { try flush() }
    }

    /// Writes the rest, and ends the file.
    func close() throws(FloodError) {
        try flush()
        let result = Glibc.close(descriptor)
        descriptor = -1
        guard result == 0 else { throw FloodError(system: path) }
    }

    private func flush() throws(FloodError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { throw FloodError(system: path) }
            rest = rest.dropFirst(count)
        }
        bytes.removeAll(keepingCapacity: true)
    }

    /// Puts `bytes` into the file at `path`, in the place of everything that it holds.
    static func write(_ bytes: [UInt8], to path: String) throws(FloodError) {
        let file = try OutputFile(path)
        file.bytes = bytes
        try file.close()
    }
}
