internal import CBacktrace
internal import Glibc

/// A line of the text that a crash leaves on standard error.
///
/// Each line is written by one call, with the level that the journal reads in front of it. Other
/// threads go on writing to the log until the process is gone, and none of their lines gets into
/// the middle of one of these.
///
/// `@unchecked Sendable`: ``prepare()`` runs before there are other threads. Afterwards only the
/// one thread that ends the process uses it.
final class CrashText: @unchecked Sendable {
    /// It lives as long as the process.
    private let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: Limits.crashLineBytes)
    private var count = 0
    /// `backtrace_symbols_fd(3)` writes only to a descriptor, so the line comes back through a
    /// pipe.
    private var wayBack: (output: Int32, input: Int32)?

    /// Makes all that a signal handler must not make.
    func prepare() {
        var ends: [Int32] = [-1, -1]
        if wayBack == nil, pipe(&ends) == 0 {
            for end in ends {
                _ = fcntl(end, F_SETFD, FD_CLOEXEC)
                _ = fcntl(end, F_SETFL, O_NONBLOCK)
            }
            wayBack = (ends[0], ends[1])
        }
        bytes.initialize(repeating: 0, count: Limits.crashLineBytes)
    }

    /// Begins a line, with the level in front of it if the journal reads the line.
    func begin() {
        count = 0
        if Journal.isRead { add("<2>") }
    }

    /// Adds as much of the text as the line has room for.
    func add(_ text: StaticString) {
        let taken = min(text.utf8CodeUnitCount, Limits.crashLineBytes - count)
        // Both are at least `taken` bytes long: the text by its count, the line by its capacity.
        (bytes + count).update(from: text.utf8Start, count: taken)
        count += taken
    }

    /// Adds the name and the address of one call, with the end of the line.
    ///
    /// - Parameter call: An element of the array that `backtrace(3)` filled.
    func addCall(at call: UnsafeMutablePointer<UnsafeMutableRawPointer?>) {
        guard let wayBack else { return add("a call\n") }
        // It neither blocks nor leaves anything behind: a pipe has room for 64 KiB, and a longer
        // line is cut off and read to its end.
        backtrace_symbols_fd(call, 1, wayBack.input)
        let taken = read(wayBack.output, bytes + count, Limits.crashLineBytes - count)
        guard taken > 0 else { return }
        count += taken
        bytes[count - 1] = UInt8(ascii: "\n")
        while count == Limits.crashLineBytes, read(wayBack.output, bytes, 1) == 1 {}
    }

    /// Writes the line.
    func write() {
        // If this cannot be written, there is no other way to report it.
        _ = Glibc.write(STDERR_FILENO, bytes, count)
    }
}
