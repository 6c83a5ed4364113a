import Glibc

/// The system's own numbers of this process.
struct ProcessReading {
    /// The processor time of the threads of one kind, in seconds.
    struct ThreadTime {
        var kind: String
        var threads: Int
        var seconds: Double
    }

    var residentBytes: Int?
    var virtualBytes: Int?
    var openFiles: Int?
    var mostFiles: Int?
    var seconds: Double?
    /// Seconds since 1970.
    var startTime: Double?
    var threads: [ThreadTime] = []

    /// Reads what the system tells at present; what it does not tell stays nil.
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
        openFiles = Self.names(in: "/proc/self/fd").map { $0.count }
        if let stat = Self.stat(of: "/proc/self/stat") {
            seconds = Double(stat.ticks) / Self.ticksPerSecond
            startTime = Self.bootTime.map { $0 + Double(stat.start) / Self.ticksPerSecond }
        }
        readThreads()
    }

    private mutating func readThreads() {
        var times: [String: ThreadTime] = [:]
        for name in Self.names(in: "/proc/self/task") ?? [] {
            // A thread may end while this looks.
            guard let stat = Self.stat(of: "/proc/self/task/\(name)/stat") else { continue }
            let kind = Self.kind(of: stat.name)
            times[kind, default: ThreadTime(kind: kind, threads: 0, seconds: 0)].threads += 1
            times[kind]?.seconds += Double(stat.ticks) / Self.ticksPerSecond
        }
        threads = times.values.sorted { $0.kind < $1.kind }
    }

    /// The kind of a thread by its name: one of a few words, so that no name makes a series.
    static func kind(of name: String) -> String {
        if name.hasPrefix("NIO-ELT-") { return "loop" }
        if name.hasPrefix("readers-") { return "readers" }
        if name.hasPrefix("rocksdb:") { return "engine" }
        switch name {
        case PageServer.threadName, "committer", "watch", "maintenance": return name
        case "store-fault", "recovery", "mark": return "store"
        default: return "other"
        }
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

    private static var ticksPerSecond: Double { Double(max(1, sysconf(Int32(_SC_CLK_TCK)))) }

    /// The time in seconds since 1970.
    static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// When the machine started, in seconds since 1970.
    private static var bootTime: Double? {
        let lines = text(of: "/proc/stat")?.split(separator: "\n") ?? []
        let line = lines.first { $0.hasPrefix("btime ") }
        return line.flatMap { Double($0.dropFirst("btime ".count)) }
    }

    private static func text(of path: String) -> String? {
        guard let file = fopen(path, "re") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: PageLimits.systemFileBytes)
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
