import Glibc

/// The time and memory that a process has used.
struct ProcessUsage {
    /// Processor time of all its threads since it started, including those that have ended.
    let cpuSeconds: Double
    /// The part of it that the engine's own threads used.
    ///
    /// They sort files for writes of long ago, at any time, and belong to no call.
    let engineSeconds: Double

    /// The rest of it, for calls and streams.
    var callSeconds: Double { cpuSeconds - engineSeconds }

    /// Memory resident now.
    let residentBytes: Int

    init(of process: pid_t) throws(FloodError) {
        // The scheduler's own account, exact to the nanosecond. `/proc/PID/task/*/schedstat` adds
        // up to the same, but forgets threads that have ended.
        var clock = clockid_t()
        var time = timespec()
        let result = clock_getcpuclockid(process, &clock)
        guard result == 0 else { throw FloodError(system: "clock_getcpuclockid", code: result) }
        guard clock_gettime(clock, &time) == 0 else { throw FloodError(system: "clock_gettime") }
        cpuSeconds = Double(time.tv_sec) + Double(time.tv_nsec) / 1e9

        engineSeconds = Self.seconds(ofThreads: "rocksdb:", in: process)

        guard let status = readText("/proc/\(process)/status") else {
            throw FloodError(system: "/proc/\(process)/status")
        }
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        let words = line?.split { $0 == " " || $0 == "\t" } ?? []
        residentBytes = (words.count > 1 ? Int(words[1]) ?? 0 : 0) << 10
    }

    /// Processor time of the threads whose names begin with `prefix`; ended threads have none.
    private static func seconds(ofThreads prefix: String, in process: pid_t) -> Double {
        let folder = "/proc/\(process)/task"
        var nanoseconds = 0
        for name in names(in: folder) {
            guard let comm = readText("\(folder)/\(name)/comm"), comm.hasPrefix(prefix),
                let times = readText("\(folder)/\(name)/schedstat")
            else { continue }
            nanoseconds += times.split(separator: " ").first.flatMap { Int($0) } ?? 0
        }
        return Double(nanoseconds) / 1e9
    }
}

/// The text of a small file, or nil, with the reason in `errno`.
func readText(_ path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var text: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 4_096)
    while true {
        let count = read(descriptor, &part, part.count)
        guard count > 0 else { return count == 0 ? String(decoding: text, as: UTF8.self) : nil }
        text += part[..<count]
    }
}

/// The names in a folder, with those of itself and of its parent; none if it cannot be read.
func names(in folder: String) -> [String] {
    guard let entries = opendir(folder) else { return [] }
    defer { closedir(entries) }
    var names: [String] = []
    while let entry = readdir(entries) {
        // A name in a directory ends with a zero byte inside its field.
        names.append(
            withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            })
    }
    return names
}
