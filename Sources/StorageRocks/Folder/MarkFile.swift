internal import Glibc
internal import Storage

/// The file that keeps a store's mark, in two slots that are written alternately.
///
/// A power cut may tear the slot that is being written; the other one then holds the mark before.
final class MarkFile: Sendable {
    /// The contents of the file.
    enum Content: Equatable {
        /// The store had no marks yet.
        case nothing
        /// Neither slot holds a mark as it was written.
        case damaged
        case mark(Mark)
    }

    private static let slots = 2

    /// It is opened in `init` and closed in `deinit`.
    private let descriptor: Int32
    private let path: String

    /// Reads the mark at `path`.
    ///
    /// - Throws: ``StorageError`` with the code `failed` if the system does not allow it.
    static func read(_ path: String) throws(StorageError) -> Content {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            if errno == ENOENT { return .nothing }
            throw .system("cannot read \(path)")
        }
        defer { close(file) }
        let size = slots * Mark.bytes
        var isRead = true
        let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            count = Glibc.read(file, buffer.baseAddress, size)
            isRead = count >= 0
            count = max(0, count)
        }
        guard isRead else { throw .system("cannot read \(path)") }
        let marks = stride(from: 0, to: bytes.count, by: Mark.bytes).compactMap { start in
            Mark(stored: bytes[start..<min(start + Mark.bytes, bytes.count)])
        }
        return marks.max { $0.number < $1.number }.map { .mark($0) } ?? .damaged
    }

    /// Makes the file at `path`, or replaces it, with `mark` in both slots.
    init(_ path: String, _ mark: Mark, in folder: HeldFolder) throws(StorageError) {
        let new = path + ".new"
        let file = open(new, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw .system("cannot write \(new)") }
        (descriptor, self.path) = (file, path)
        try write(mark, slots: 0..<MarkFile.slots)
        guard rename(new, path) == 0 else { throw .system("cannot rename \(new)") }
        try folder.sync()
    }

    deinit {
        close(descriptor)
    }

    /// Writes a mark over the older of the two.
    ///
    /// It is on the device when this returns.
    func write(_ mark: Mark) throws(StorageError) {
        let slot = Int(mark.number % UInt64(MarkFile.slots))
        try write(mark, slots: slot..<slot + 1)
    }

    /// Writes a mark into both slots, so that there is a copy of the last mark.
    func writeTwice(_ mark: Mark) throws(StorageError) {
        try write(mark)
        try write(mark, slots: 0..<MarkFile.slots)
    }

    private func write(_ mark: Mark, slots: Range<Int>) throws(StorageError) {
        let bytes = mark.stored
        for slot in slots {
            let start = off_t(slot * Mark.bytes)
            guard pwrite(descriptor, bytes, bytes.count, start) == bytes.count else {
                throw .system("cannot write \(path)")
            }
        }
        guard fdatasync(descriptor) == 0 else { throw .system("cannot sync \(path)") }
    }
}
