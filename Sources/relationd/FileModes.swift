import Glibc

/// The rights that other users have to the files that this process makes.
enum FileModes {
    /// Only the process's own user has rights: rows hold secrets, and so do the engine's logs of
    /// them.
    private static let own: mode_t = 0o077
    private static let all: mode_t = 0o777

    /// Denies others access to every file that is made from now on.
    ///
    /// Call it before any thread starts.
    ///
    /// - Returns: The rights that new files gave others before. The user that started the process
    ///   chose them; a socket is there for others, and keeps them.
    @discardableResult
    static func close() -> mode_t {
        all & ~umask(own)
    }
}
