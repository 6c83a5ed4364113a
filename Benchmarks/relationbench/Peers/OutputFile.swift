import Glibc

/// Writes whole files.
enum OutputFile {
    /// Puts `bytes` into the file at `path`, in the place of everything that it holds.
    static func write(_ bytes: [UInt8], to path: String) throws(FloodError) {
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard file >= 0 else { throw FloodError(system: path) }
        defer { close(file) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            guard count > 0 else { throw FloodError(system: path) }
            rest = rest.dropFirst(count)
        }
    }
}
