import Glibc

/// A pipe from a child process, read line by line.
final class OutputPipe {
    private let readEnd: Int32
    private(set) var writeEnd: Int32
    private var buffered: [UInt8] = []

    init() throws(FloodError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw FloodError(system: "pipe") }
        readEnd = ends[0]
        writeEnd = ends[1]
        // It is closed on exec, so that only the child for which it is made holds it.
        for end in ends where fcntl(end, F_SETFD, FD_CLOEXEC) != 0 {
            throw FloodError(system: "fcntl")
        }
    }

    deinit {
        close(readEnd)
        closeWriteEnd()
    }

    /// Leaves the child as the only writer, so that the text ends when the child does.
    func closeWriteEnd() {
        if writeEnd >= 0 { close(writeEnd) }
        writeEnd = -1
    }

    /// All lines, until the writer is gone or `end` has passed.
    func lines(until end: UInt64) throws(FloodError) -> [String] {
        var lines: [String] = []
        while let line = try readLine(until: end) { lines.append(line) }
        return lines
    }

    /// The next line, without its end; nil if the writer is gone or the clock of
    /// ``FloodRun/now()`` has passed `end`.
    func readLine(until end: UInt64) throws(FloodError) -> String? {
        while true {
            if let stop = buffered.firstIndex(of: UInt8(ascii: "\n")) {
                defer { buffered.removeFirst(stop + 1) }
                return String(decoding: buffered[..<stop], as: UTF8.self)
            }
            let now = FloodRun.now()
            guard now < end else { return nil }
            var entry = pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0)
            let ready = poll(&entry, 1, Int32(clamping: (end - now) / 1_000_000 + 1))
            if ready < 0, errno != EINTR { throw FloodError(system: "poll") }
            guard ready > 0 else { continue }
            var part = [UInt8](repeating: 0, count: 512)
            let count = read(readEnd, &part, part.count)
            if count == 0 { return nil }
            if count < 0, errno != EINTR { throw FloodError(system: "read") }
            if count > 0 { buffered += part[..<count] }
        }
    }
}
