internal import Glibc

/// A file, by the system's numbers of it: links to one file have the same.
struct FileID: Hashable {
    private let device: UInt64
    private let number: UInt64
    private let size: Int64

    /// - Returns: Nil if there is no such file.
    init?(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        (device, number) = (UInt64(status.st_dev), UInt64(status.st_ino))
        size = Int64(status.st_size)
    }
}
