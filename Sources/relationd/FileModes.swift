import Glibc

/// The rights that other users have to the files that this process makes.
enum FileModes {
    /// Only the process's own user has rights: rows hold secrets, and so do the engine's logs of
    /// them.
    private static let own: mode_t = 0o077

    /// Denies others access to every file that is made from now on.
    ///
    /// Call it before any thread starts. A socket is there for others: `listen-mode` opens it.
    static func close() {
        umask(own)
    }

    /// The mode of a file, if its group or others may read or change it; nil if they may not.
    ///
    /// Root's file that admits the group of a server without root's rights is as closed as it can
    /// be: the server could not read it otherwise.
    static func openMode(of path: String) -> mode_t? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        let mode = status.st_mode & 0o777
        let isForTheServer = status.st_uid == 0 && geteuid() != 0 && mode & 0o027 == 0
        return mode & 0o066 == 0 || isForTheServer ? nil : mode
    }
}
