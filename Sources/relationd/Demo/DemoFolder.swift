import Glibc
import StorageRocks

/// The folder of a demo that keeps nothing: made at its start, and removed at its end.
///
/// RocksDB keeps it as it keeps any folder, with the same rules. Only syncs are left out. It stands
/// in memory where the machine has room for files there.
struct DemoFolder {
    let path: String

    /// Makes the folder.
    ///
    /// - Throws: ``FatalError`` if the system has no place for it, or too little room there.
    init() throws {
        let parent = Self.parent
        // The store would refuse its first row, and name a folder that the caller never saw.
        if let free = Self.freeBytes(parent), free < Self.neededBytes {
            throw FatalError(
                "\(parent) has \(free) bytes free, and a demo needs \(Self.neededBytes): TMPDIR "
                    + "names another folder")
        }
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

    /// The bytes that must be free: a store takes no row below its reserve.
    private static var neededBytes: UInt64 { RocksOptions().reserveBytes + Limits.demoRowBytes }

    private static func hasRoom(_ folder: String) -> Bool {
        guard access(folder, W_OK) == 0, let free = freeBytes(folder) else { return false }
        // A container has 64 MB there.
        return free >= neededBytes
    }

    /// The bytes that are free in a folder; nil if the system does not say so.
    private static func freeBytes(_ folder: String) -> UInt64? {
        var system = statvfs()
        guard statvfs(folder, &system) == 0 else { return nil }
        return UInt64(system.f_bavail) * UInt64(system.f_frsize)
    }
}
