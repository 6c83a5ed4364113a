import Glibc
import TextFiles

/// A small file of one line.
enum LineFile {
    /// The line; nil if there is no such file.
    static func read(_ path: String) throws -> String? {
        guard access(path, F_OK) == 0 || errno != ENOENT else { return nil }
        do throws(InputFileError) {
            let text = try SmallFile.text(of: path, atMost: Limits.lineFileBytes)
            let line = text.utf8.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
            return String(Substring(line))
        } catch {
            throw Failure(error)
        }
    }

    /// The line of a file that must have one.
    static func text(_ path: String) throws -> String {
        guard let line = try read(path) else {
            throw Failure("\(path) cannot be read: \(String(cString: strerror(ENOENT)))")
        }
        guard !line.isEmpty else { throw Failure("\(path): has no line") }
        return line
    }

    /// Replaces the line.
    ///
    /// The file always has either the old line or the new one.
    static func write(_ line: String, to path: String) throws {
        let fresh = path + ".new"
        let file = open(fresh, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        guard file >= 0 else { throw failure(fresh, "cannot be written") }
        let isWritten = Bytes.write(line + "\n", to: file)
        guard close(file) == 0, isWritten, rename(fresh, path) == 0 else {
            throw failure(path, "cannot be written")
        }
    }

    private static func failure(_ path: String, _ what: PlainText) -> Failure {
        Failure("\(path) \(what): \(String(cString: strerror(errno)))")
    }
}
