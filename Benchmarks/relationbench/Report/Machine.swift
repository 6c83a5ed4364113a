import Glibc

/// The machine of the measurements.
enum Machine {
    /// The processors, the kernel, and how busy other programs keep the machine.
    static var description: String {
        let processors = (readText("/proc/cpuinfo") ?? "").split(separator: "\n")
            .filter { $0.hasPrefix("model name") }
        let model = processors.first?.split(separator: ":").last.map { $0.dropFirst() } ?? "?"
        let kernel = (readText("/proc/sys/kernel/osrelease") ?? "?").split(separator: "\n").first
        let load = (readText("/proc/loadavg") ?? "?").split(separator: " ").first
        return "\(processors.count) × \(model), Linux \(kernel ?? "?"), load \(load ?? "?")"
    }

    /// The machine, the day, and which processor does what.
    static var facts: [(name: String, value: String)] {
        let (server, load) = (BenchLimits.serverProcessor, BenchLimits.loadProcessor)
        return [
            ("machine", description), ("date", date),
            ("processors", "server \(server), load \(load)"),
        ]
    }

    /// The day, in universal time.
    private static var date: String {
        var seconds = time(nil)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        let numbers = [Int(parts.tm_year) + 1_900, Int(parts.tm_mon) + 1, Int(parts.tm_mday)]
        return numbers.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: "-")
    }

    /// The memory of the machine.
    static var memoryBytes: Int {
        let line = (readText("/proc/meminfo") ?? "").split(separator: "\n")
            .first { $0.hasPrefix("MemTotal:") }
        return (line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) << 10
    }

    static var processorCount: Int {
        (readText("/proc/cpuinfo") ?? "").split(separator: "\n")
            .count { $0.hasPrefix("processor") }
    }

    /// How long the device takes to store 4 KiB at the end of a file: the median of many tries.
    static func syncTime(in folder: String) throws(FloodError) -> Duration {
        let parent = try Tool.makeFolder(in: folder)
        defer { Tool.removeFolder(parent) }
        let file = open(parent + "/sync", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw FloodError(system: parent + "/sync") }
        defer { close(file) }
        let block = [UInt8](repeating: 7, count: 4_096)
        var times = LatencyHistogram()
        for _ in 0..<BenchLimits.measuredSyncs {
            let begin = FloodRun.now()
            guard write(file, block, block.count) == block.count, fdatasync(file) == 0 else {
                throw FloodError(system: "writing and syncing a file")
            }
            times.add(nanoseconds: FloodRun.now() - begin)
        }
        return times.percentile(0.5)
    }

    /// How long it takes to send a short message to a client on this machine: the median of many
    /// tries.
    static func sendTime() throws(FloodError) -> Duration {
        let listener = try Listener()
        let client = try Socket(connectingTo: listener.port)
        let server = try listener.accept()
        let message = [UInt8](repeating: 7, count: BenchLimits.measuredSendBytes)
        var times = LatencyHistogram()
        for _ in 0..<BenchLimits.measuredSends {
            let begin = FloodRun.now()
            guard try server.write(message, from: 0) == message.count else {
                throw FloodError("a socket is full")
            }
            times.add(nanoseconds: FloodRun.now() - begin)
            var rest = message.count
            var bytes = message
            while rest > 0 {
                // `withUnsafeMutableBytes` would lose the error's type.
                rest -= try bytes.withUnsafeMutableBufferPointer { (part) throws(FloodError) in
                    try client.read(into: UnsafeMutableRawBufferPointer(part)) ?? 0
                }
            }
        }
        return times.percentile(0.5)
    }
}
