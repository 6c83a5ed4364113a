internal import Glibc
package import Storage

extension RocksStore {
    /// Looks whether a store could be opened or made in a folder, and changes nothing.
    ///
    /// A server may have the folder open meanwhile.
    ///
    /// - Throws: ``StorageError``, as the opening would.
    package static func check(folder path: String) throws(StorageError) {
        var status = stat()
        guard stat(path, &status) == 0 else {
            guard errno == ENOENT else { throw .system("the data folder \(path)") }
            return try checkMaking(path)
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw StorageError(.failed, "the data folder \(path) is a file")
        }
        guard access(path, R_OK | W_OK | X_OK) == 0 else {
            throw .system("the data folder \(path) cannot be written to")
        }
        try DataFolder.checkContents(of: path)
    }

    /// Looks whether a folder can be made.
    private static func checkMaking(_ path: String) throws(StorageError) {
        var above = path[...]
        while access(String(above), F_OK) != 0 {
            guard errno == ENOENT else {
                throw .system("the data folder \(path) cannot be made")
            }
            while above.last == "/" { above.removeLast() }
            above = above.lastIndex(of: "/").map { above[..<$0] } ?? "."
            if above.isEmpty { above = "/" }
        }
        guard access(String(above), W_OK | X_OK) == 0 else {
            throw .system("the data folder \(path) cannot be made in \(above)")
        }
    }
}
