import Glibc

/// The time of a server of one process or several, and what it wrote.
struct ProcessTree {
    /// Processor time of a process and its children, also of those that have ended.
    var cpuSeconds = 0.0
    /// The bytes that they caused to be written to a device.
    var writtenBytes = 0
    /// The children that run now.
    var children = 0

    init() {}

    /// - Parameter root: The parent; its children have no children of their own.
    init(of root: pid_t) throws(FloodError) {
        for process in [root] + Self.children(of: root) {
            // A child may end between the look at the list and this.
            guard let usage = try? ProcessUsage(of: process) else { continue }
            cpuSeconds += usage.cpuSeconds
            writtenBytes += Self.writtenBytes(of: process)
            if process != root { children += 1 }
        }
        // The parent bears the written bytes of ended children, but not their time.
        let ticks = Self.fields("/proc/\(root)/stat")
        guard ticks.count > 14 else { throw FloodError(system: "/proc/\(root)/stat") }
        let ended = (Double(ticks[13]) ?? 0) + (Double(ticks[14]) ?? 0)
        cpuSeconds += ended / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// The bytes that a process caused to be written to a device; 0 if the kernel does not say it.
    private static func writtenBytes(of process: pid_t) -> Int {
        let lines = (readText("/proc/\(process)/io") ?? "").split(separator: "\n")
        let line = lines.first { $0.hasPrefix("write_bytes:") }
        return line?.split(separator: " ").last.flatMap { Int($0) } ?? 0
    }

    /// The fields of a process's line after its name, which may hold spaces: state and parent are
    /// the first two.
    private static func fields(_ path: String) -> [Substring] {
        let text = readText(path) ?? ""
        guard let end = text.lastIndex(of: ")") else { return [] }
        return text[text.index(after: end)...].split(separator: " ")
    }

    private static func children(of root: pid_t) -> [pid_t] {
        names(in: "/proc").compactMap { pid_t($0) }.filter { process in
            let fields = fields("/proc/\(process)/stat")
            return fields.count > 1 && fields[1] == "\(root)"
        }
    }
}
