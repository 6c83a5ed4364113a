internal import Glibc
internal import Storage

/// Makes sure that only its owner can read a folder, because rows hold secrets.
enum OwnerOnly {
    private static let folderMode: mode_t = 0o700
    private static let fileMode: mode_t = 0o600
    /// The rights of the group and of all others.
    private static let ofOthers: mode_t = 0o077

    /// Removes the rights of others from the folder and from all entries in it.
    ///
    /// Symbolic links in it are not followed: another user that could write here before may have
    /// made a link to a file elsewhere. Sockets and pipes hold nothing, and stay as they are.
    ///
    /// - Returns: The changes, in words; nil if none was needed.
    /// - Throws: ``StorageError`` with the code `exposed` if others have rights that this process
    ///   may not change; `failed` if the folder cannot be read.
    static func settle(_ path: String) throws(StorageError) -> String? {
        var changed: [String] = []
        // The path of the folder itself may be a link: the operator made it.
        try settle(path, isFollowed: true, &changed)
        guard let first = changed.first else { return nil }
        let rest = changed.count > 1 ? " and \(changed.count - 1) more" : ""
        return "others had rights on \(first)\(rest); they were removed, so that only the owner "
            + "has any (folders 0700, files 0600)"
    }

    private static func settle(
        _ path: String, isFollowed: Bool, _ changed: inout [String]
    ) throws(StorageError) {
        var status = stat()
        let isThere = isFollowed ? stat(path, &status) == 0 : lstat(path, &status) == 0
        guard isThere, status.isFolder || status.isFile else { return }
        if status.st_mode & ofOthers != 0 {
            guard status.st_uid == geteuid() else { throw exposed(path, status) }
            try close(path, isFollowed: isFollowed)
            changed.append(path)
        }
        guard status.isFolder else { return }
        for name in try DataFolder.names(in: path) {
            try settle(path + "/" + name, isFollowed: false, &changed)
        }
    }

    private static func close(_ path: String, isFollowed: Bool) throws(StorageError) {
        // By a descriptor, so that the file to change is the file that was looked at.
        let flags = O_RDONLY | O_NONBLOCK | O_CLOEXEC | (isFollowed ? 0 : O_NOFOLLOW)
        let file = open(path, flags)
        guard file >= 0 else { throw .system("cannot open \(path) to remove others' rights") }
        defer { Glibc.close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw .system("cannot look at \(path)") }
        guard status.st_uid == geteuid() else { throw exposed(path, status) }
        let mode = status.st_mode & (status.isFolder ? folderMode : fileMode)
        guard fchmod(file, mode) == 0, fstat(file, &status) == 0 else {
            throw .system("cannot change the mode of \(path)")
        }
        guard status.st_mode & ofOthers == 0 else {
            throw StorageError(
                .exposed,
                "others have rights on \(path), and its file system does not allow a change")
        }
    }

    private static func exposed(_ path: String, _ status: stat) -> StorageError {
        StorageError(
            .exposed,
            "others have rights on \(path), where secrets are kept, and it is not this process's "
                + "to change: it belongs to user \(status.st_uid), and this is user \(geteuid())")
    }
}

extension stat {
    fileprivate var isFolder: Bool { st_mode & S_IFMT == S_IFDIR }
    fileprivate var isFile: Bool { st_mode & S_IFMT == S_IFREG }
}
