import Glibc

/// Who may use the files that this process makes.
enum FileModes {
    /// Nobody but the process's own user: rows hold secrets, and so do the engine's logs of them.
    private static let own: mode_t = 0o077
    private static let all: mode_t = 0o777

    /// Keeps others out of every file that is made from now on.
    ///
    /// Call it before any thread starts.
    ///
    /// - Returns: What a file would have let others do before, by the wish of whoever started the
    ///   process: a socket is there for others, and keeps it.
    @discardableResult
    static func close() -> mode_t {
        all & ~umask(own)
    }
}
