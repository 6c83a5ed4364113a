import RelationRuntime
import Testing

@Suite("The memory that a process may have")
struct ProcessMemoryTests {
    private static let root = "/sys/fs/cgroup/"

    private static func limit(_ groups: String, _ files: [String: String]) -> Int? {
        ProcessMemory.limit(from: groups) { path in files[String(path.dropFirst(root.count))] }
    }

    @Test("is the least limit of the process's group and of those around it")
    func leastLimitCounts() {
        let files = [
            "a/b/memory.max": "max\n", "a/memory.max": "3000\n", "memory.max": "9000\n",
        ]
        #expect(Self.limit("0::/a/b\n", files) == 3_000)
        #expect(Self.limit("0::/a\n", files) == 3_000)
        #expect(Self.limit("0::/\n", files) == 9_000)
    }

    @Test("has no limit where no group names one")
    func noLimitIsNone() {
        #expect(Self.limit("0::/a\n", ["a/memory.max": "max\n"]) == nil)
        #expect(Self.limit("0::/a\n", [:]) == nil)
        #expect(Self.limit("1:memory:/a\n", ["a/memory.max": "7\n"]) == nil)
        #expect(Self.limit("", [:]) == nil)
    }

    @Test("is some of the machine's")
    func someMemoryIsThere() {
        #expect(ProcessMemory.bytes > 1 << 20)
    }
}
