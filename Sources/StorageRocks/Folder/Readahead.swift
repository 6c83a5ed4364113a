internal import Glibc
internal import Storage
internal import Synchronization

/// Has the system read the files of an opened store into its memory, once.
///
/// Otherwise the first read of each row waits for the device, at a place of its own, and a device
/// reads whole files many times faster. The thread stands back for others. It has one piece on its
/// way at a time, so the reads of calls wait for one piece at most.
final class Readahead: Sendable {
    private final class Course: Sendable {
        let isStopped = Atomic(false)
        let bytes = Atomic(0)
    }

    private let course: Course
    /// Nil after it is stopped, and if there is nothing to read.
    private let thread: Mutex<JoinedThread?>

    /// - Parameter bytes: The most bytes of the files that are read.
    /// - Throws: ``StorageError`` with the code `failed` if the system has no thread left.
    init(of folder: String, atMost bytes: Int) throws(StorageError) {
        let course = Course()
        self.course = course
        guard bytes > 0 else {
            thread = Mutex(nil)
            return
        }
        thread = Mutex(
            try JoinedThread("readahead") {
                let thread = __priority_which_t(PRIO_PROCESS.rawValue)
                setpriority(thread, 0, getpriority(thread, 0) + Limits.readaheadNiceness)
                let count = Readahead.read(folder, atMost: bytes) {
                    !course.isStopped.load(ordering: .relaxed)
                }
                course.bytes.store(count, ordering: .relaxed)
            })
    }

    deinit {
        stop()
    }

    /// Waits for the piece that is on its way; none is read afterwards.
    func stop() {
        course.isStopped.store(true, ordering: .relaxed)
        wait()
    }

    /// Waits until all is read.
    ///
    /// - Returns: The bytes of the files that were read.
    @discardableResult
    func wait() -> Int {
        let running = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        running?.join()
        return course.bytes.load(ordering: .relaxed)
    }

    /// Reads the files of rows in `folder`, the newest first.
    ///
    /// - Parameter isWanted: Asked before each piece.
    /// - Returns: The bytes of the files that were read, at most `bytes`.
    static func read(_ folder: String, atMost bytes: Int, while isWanted: () -> Bool) -> Int {
        // Their names are numbers of six digits.
        let names = (try? DataFolder.names(in: folder)) ?? []
        var rest = bytes
        for name in names.filter({ $0.hasSuffix(".sst") }).sorted(by: >) {
            guard rest > 0, isWanted() else { break }
            let file = open("\(folder)/\(name)", O_RDONLY | O_CLOEXEC)
            // A merge may have removed it.
            guard file >= 0 else { continue }
            rest -= read(file, atMost: rest, while: isWanted)
            close(file)
        }
        return bytes - rest
    }

    private static func read(_ file: Int32, atMost bytes: Int, while isWanted: () -> Bool) -> Int {
        var status = stat()
        guard fstat(file, &status) == 0 else { return 0 }
        let end = min(bytes, Int(status.st_size))
        var offset = 0
        while offset < end, isWanted() {
            let count = min(Limits.readaheadPieceBytes, end - offset)
            posix_fadvise(file, offset, count, POSIX_FADV_WILLNEED)
            // Waits for the piece without a copy of it. An error is found by whoever reads the row.
            var last: UInt8 = 0
            guard pread(file, &last, 1, offset + count - 1) == 1 else { break }
            offset += count
        }
        return offset
    }
}
