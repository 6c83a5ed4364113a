import Glibc

/// The folder of a demo that keeps nothing: made at its start, and removed at its end.
///
/// RocksDB keeps it as it keeps any folder, with the same rules. Only syncs are left out. It stands
/// in memory where the machine has room for files there.
struct DemoFolder {
    let path: String

    /// Makes the folder.
    ///
    /// - Throws: ``FatalError`` if the system has no place for it.
    init() throws {
        let parent = Self.parent
        var template = Array("\(parent)/relationd-demo-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw FatalError(
                "no folder can be made in \(parent): \(String(cString: strerror(errno)))")
        }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    func remove() { FreshFolder.remove(path) }

    /// Files in memory if there is room, or the folder for temporary files.
    private static var parent: String {
        if hasRoom(memory) { return memory }
        guard let path = getenv("TMPDIR").map({ String(cString: $0) }), !path.isEmpty else {
            return "/tmp"
        }
        return path
    }

    private static let memory = "/dev/shm"

    private static func hasRoom(_ folder: String) -> Bool {
        var system = statvfs()
        guard access(folder, W_OK) == 0, statvfs(folder, &system) == 0 else { return false }
        // A container has 64 MB there, which the engine's log alone may take.
        return Int(system.f_bavail) * Int(system.f_frsize) >= Limits.demoMemoryBytes
    }
}
