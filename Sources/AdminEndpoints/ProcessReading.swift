import Glibc
import Support

/// The system's own numbers of this process.
struct ProcessReading {
    /// The processor time of all threads of one kind that ever ran, in seconds.
    struct ThreadTime {
        var kind: String
        /// The threads that run at present.
        var threads: Int
        var seconds: Double
    }

    var residentBytes: Int?
    var virtualBytes: Int?
    var openFiles: Int?
    /// The room on the disk of files that were removed, and that the process has open still.
    var removedBytes: Int?
    var mostFiles: Int?
    var seconds: Double?
    /// Seconds since 1970.
    var startTime: Double?
    var threads: [ThreadTime] = []

    /// Reads what the system reports at present; what it does not report stays nil.
    init() {
        if let text = Self.text(of: "/proc/self/statm") {
            let pages = text.split(separator: " ").compactMap { Int($0) }
            let size = sysconf(Int32(_SC_PAGESIZE))
            if pages.count >= 2 {
                virtualBytes = pages[0] * size
                residentBytes = pages[1] * size
            }
        }
        var bounds = rlimit()
        if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &bounds) == 0 {
            mostFiles = Int(clamping: bounds.rlim_cur)
        }
        let files = Self.names(in: "/proc/self/fd")
        openFiles = files.map { $0.count }
        removedBytes = files.map { $0.reduce(0) { $0 + Self.removedBytes(of: $1) } }
        readThreads()
    }

    private mutating func readThreads() {
        let stats = (Self.names(in: "/proc/self/task") ?? []).compactMap { name in
            // A thread may end during the reading.
            Self.stat(of: "/proc/self/task/\(name)/stat").map { (id: name, stat: $0) }
        }
        // Read last: it has the time of all of them.
        guard let process = Self.stat(of: "/proc/self/stat") else { return }
        seconds = Double(process.ticks) / Self.ticksPerSecond
        startTime = Self.bootTime.map { $0 + Double(process.start) / Self.ticksPerSecond }
        threads = ThreadTimes.ofProcess.add(stats, allTicks: process.ticks).map { kind in
            ThreadTime(
                kind: kind.name, threads: kind.threads,
                seconds: Double(kind.ticks) / Self.ticksPerSecond)
        }
    }

    /// The kind of a thread by its name: one of a few words, so that no name makes a series.
    static func kind(of name: String) -> String {
        // SwiftNIO, on which the endpoints run too, names its threads itself.
        if name.hasPrefix("NIO-ELT-") { return "loop" }
        return ThreadName.kind(of: name) ?? ThreadTimes.otherKind
    }

    /// The fields of a `stat` file that are of use.
    struct Stat: Equatable {
        var name: String
        /// In the program and in the system together.
        var ticks: Int
        /// After the start of the machine, in ticks.
        var start: Int
    }

    static func stat(of path: String) -> Stat? { text(of: path).flatMap { stat(in: $0) } }

    /// Reads the text of a `stat` file; the name in brackets may have blanks and brackets.
    static func stat(in text: String) -> Stat? {
        guard let open = text.firstIndex(of: "("), let close = text.lastIndex(of: ")") else {
            return nil
        }
        let fields = text[text.index(after: close)...].split(separator: " ")
        // The first field after the name is the third of the file.
        guard fields.count > 19, let user = Int(fields[11]), let system = Int(fields[12]),
            let start = Int(fields[19])
        else { return nil }
        let name = String(text[text.index(after: open)..<close])
        return Stat(name: name, ticks: user + system, start: start)
    }

    /// The room of an open file that has no name any more; 0 for any other.
    private static func removedBytes(of descriptor: String) -> Int {
        var status = Glibc.stat()
        guard let number = Int32(descriptor), fstat(number, &status) == 0,
            status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 0
        else { return 0 }
        return Int(status.st_blocks) * 512
    }

    private static var ticksPerSecond: Double { Double(max(1, sysconf(Int32(_SC_CLK_TCK)))) }

    /// The time in seconds since 1970.
    static var now: Double { SystemClock.wall.seconds }

    /// When the machine started, in seconds since 1970.
    private static var bootTime: Double? {
        let lines = text(of: "/proc/stat")?.split(separator: "\n") ?? []
        let line = lines.first { $0.hasPrefix("btime ") }
        return line.flatMap { Double($0.dropFirst("btime ".count)) }
    }

    private static func text(of path: String) -> String? {
        guard let file = fopen(path, "re") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: AdminLimits.systemFileBytes)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes[..<count], as: UTF8.self)
    }

    private static func names(in folder: String) -> [String]? {
        guard let stream = opendir(folder) else { return nil }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names
    }
}
