internal import Glibc

/// An open file of this process's user, which is closed when nothing holds it any more.
package final class OwnFile: Sendable {
    /// It is opened in `init`, and closed in `deinit`.
    package let descriptor: Int32
    package let path: String

    private init(_ descriptor: Int32, _ path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    deinit {
        Glibc.close(descriptor)
    }

    /// Opens a file to read; links are not followed.
    package static func reading(_ path: String) throws(BackupError) -> OwnFile {
        try opened(path, O_RDONLY | O_NOFOLLOW)
    }

    /// Makes a file that only this user may read; one that is there is an error.
    package static func making(_ path: String) throws(BackupError) -> OwnFile {
        try opened(path, O_RDWR | O_CREAT | O_EXCL)
    }

    /// Opens a file that is there, to go on writing it.
    package static func changing(_ path: String) throws(BackupError) -> OwnFile {
        try opened(path, O_RDWR | O_NOFOLLOW)
    }

    private static func opened(_ path: String, _ flags: Int32) throws(BackupError) -> OwnFile {
        let descriptor = open(path, flags | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .system(path) }
        return OwnFile(descriptor, path)
    }

    package func size() throws(BackupError) -> Int64 {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .system(path) }
        return Int64(status.st_size)
    }

    package func seek(to offset: Int64) throws(BackupError) {
        guard lseek(descriptor, off_t(offset), SEEK_SET) == offset else { throw .system(path) }
    }

    package func cut(to bytes: Int64) throws(BackupError) {
        guard ftruncate(descriptor, off_t(bytes)) == 0 else { throw .system(path) }
    }

    /// Reads until `buffer` is full or the file ends.
    ///
    /// - Returns: How many bytes were read.
    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(BackupError) -> Int {
        var filled = 0
        while filled < buffer.count {
            let count = Glibc.read(
                descriptor, buffer.baseAddress.map { $0 + filled }, buffer.count - filled)
            if count == 0 { break }
            guard count > 0 || errno == EINTR else { throw .system(path) }
            filled += max(0, count)
        }
        return filled
    }

    /// Reads so many bytes, or those until the end of the file.
    package func read(count: Int) throws(BackupError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let filled = try bytes.withUnsafeMutableBufferPointer { (buffer) throws(BackupError) in
            try read(into: UnsafeMutableRawBufferPointer(buffer))
        }
        return Array(bytes.prefix(filled))
    }

    package func write(_ bytes: UnsafeRawBufferPointer) throws(BackupError) {
        var written = 0
        while written < bytes.count {
            let count = Glibc.write(
                descriptor, bytes.baseAddress.map { $0 + written }, bytes.count - written)
            guard count >= 0 || errno == EINTR else { throw .system(path) }
            written += max(0, count)
        }
    }

    package func write(_ bytes: [UInt8]) throws(BackupError) {
        try bytes.withUnsafeBufferPointer { (buffer) throws(BackupError) in
            try write(UnsafeRawBufferPointer(buffer))
        }
    }

    /// Waits until the bytes are on the device.
    package func sync() throws(BackupError) {
        guard fsync(descriptor) == 0 else { throw .system(path) }
    }

    /// Waits until the names in a folder are on the device.
    package static func sync(folder path: String) throws(BackupError) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system(path) }
        defer { Glibc.close(descriptor) }
        guard fsync(descriptor) == 0 else { throw .system(path) }
    }

    /// All bytes of a small file.
    package static func bytes(
        of path: String, atMost limit: Int
    ) throws(BackupError) -> [UInt8] {
        let file = try reading(path)
        let size = try file.size()
        guard size <= limit else { throw BackupError(.damaged, "\(path) is too long") }
        return try file.read(count: Int(size))
    }

    /// Makes a small file that is on the device when this returns.
    package static func make(_ path: String, _ text: String) throws(BackupError) {
        let file = try making(path)
        try file.write(Array(text.utf8))
        try file.sync()
    }
}
