import Glibc

/// The memory that this process may have.
package enum ProcessMemory {
    /// The machine's memory, or less if the group of processes has a limit, as in a container.
    package static var bytes: Int {
        let pages = max(0, sysconf(Int32(_SC_PHYS_PAGES))) * max(0, sysconf(Int32(_SC_PAGESIZE)))
        return min(pages, limit(from: text("/proc/self/cgroup") ?? "", reading: text) ?? pages)
    }

    /// The part of it for what is read of the store, unless an operator says how much: half for
    /// what rows say of users, half for the engine's blocks.
    package static var cacheBytes: Int {
        max(RuntimeLimits.leastCacheBytes, bytes / RuntimeLimits.cachePart)
    }

    /// The part of it that the system may fill with files of the store as soon as it is open.
    ///
    /// The system takes it back when programs need it.
    package static var fileBytes: Int { bytes / RuntimeLimits.filePart }

    /// The least limit of the process's group and of those around it; nil if none has one.
    ///
    /// - Parameters:
    ///   - groups: The process's groups as the system lists them. Of groups of the second version,
    ///     which alone are looked at, there is a line `0::PATH`.
    ///   - text: The content of a file; nil if there is no such file.
    package static func limit(from groups: String, reading text: (String) -> String?) -> Int? {
        guard let line = groups.split(separator: "\n").first(where: { $0.hasPrefix("0::/") })
        else { return nil }
        var names = line.dropFirst(4).split(separator: "/")
        var limits: [Int] = []
        while true {
            let path = "/sys/fs/cgroup/" + (names + ["memory.max"]).joined(separator: "/")
            // A group without a limit says "max".
            if let limit = text(path).flatMap({ Int($0.prefix { $0 != "\n" }) }) {
                limits.append(limit)
            }
            guard !names.isEmpty else { return limits.min() }
            names.removeLast()
        }
    }

    private static func text(_ path: String) -> String? {
        guard let file = fopen(path, "re") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes[..<count], as: UTF8.self)
    }
}
