import Glibc
import NIOCore

extension ServerConfiguration {
    /// How many processors the process may use: those that it may run on, as far as the quotas of
    /// its control groups reach.
    package static var processorCount: Int {
        let counts = [
            System.coreCount, allowed(in: lines(of: "/proc/self/status")),
            quota(in: lines(of: "/proc/self/cgroup"), root: "/sys/fs/cgroup"),
        ]
        return max(1, counts.compactMap(\.self).min() ?? 1)
    }

    // MARK: Affinity

    /// The number of processors that a process may run on; nil if its status does not say it.
    static func allowed(in status: [String]) -> Int? {
        let name = "Cpus_allowed_list:"
        guard let line = status.first(where: { $0.hasPrefix(name) }) else { return nil }
        return processors(in: line.dropFirst(name.count))
    }

    /// The number of processors in a list as the system writes it, such as `0-2,5`; nil if it
    /// is not such a list.
    static func processors(in list: some StringProtocol) -> Int? {
        var count = 0
        for range in list.split(whereSeparator: { $0 == "," || $0.isWhitespace }) {
            let ends = range.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
            guard let first = ends.first, let low = first, let last = ends.last, let high = last,
                ends.count <= 2, low <= high
            else { return nil }
            count += high - low + 1
        }
        return count > 0 ? count : nil
    }

    // MARK: Quotas

    /// The smallest quota of a process's control group and of the groups around it, in processors;
    /// nil if none has one.
    ///
    /// SwiftNIO looks at the outermost group only, which is that of a container. A supervisor sets
    /// the quota of a group within.
    static func quota(in groups: [String], root: String) -> Int? {
        // The line of version 2; in version 1 each controller has a line of its own.
        guard let line = groups.first(where: { $0.hasPrefix("0::/") }) else { return nil }
        var path = line.dropFirst(3)
        var least: Int?
        while path.count > 1 {
            if let quota = lines(of: "\(root)\(path)/cpu.max").first.flatMap(processors(ofQuota:)) {
                least = min(least ?? quota, quota)
            }
            path = path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
        }
        return least
    }

    /// The processors of a quota such as `150000 100000`, its parts rounded up; nil if it is `max`.
    static func processors(ofQuota text: String) -> Int? {
        let parts = text.split(whereSeparator: \.isWhitespace).map { Int($0) }
        guard parts.count == 2, let time = parts[0], let period = parts[1], time > 0, period > 0
        else { return nil }
        return (time - 1) / period + 1
    }

    /// The lines of a small file; none if it cannot be read.
    private static func lines(of path: String) -> [String] {
        guard let file = fopen(path, "r") else { return [] }
        defer { fclose(file) }
        var lines: [String] = []
        var line = [CChar](repeating: 0, count: 4_096)
        while fgets(&line, Int32(line.count), file) != nil {
            let bytes = line.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }
            lines.append(String(decoding: bytes, as: UTF8.self))
        }
        return lines
    }
}
