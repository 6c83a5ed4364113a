internal import Glibc

/// The files of the engine's log, as an opening finds them.
///
/// The engine does not report how far it has read the files back. But it reads one file after
/// another, each from its beginning, and a process can see the offsets of its own descriptors.
struct EngineLog {
    private struct File {
        let number: Int64
        let size: Int64
        let device: dev_t
        let inode: ino_t
    }

    /// The files, in the order in which they are read.
    private let files: [File]

    /// - Parameter folder: The engine's folder; a folder that does not exist has no log.
    init(in folder: String) {
        var files: [File] = []
        for name in EngineLog.names(in: folder) where name.hasSuffix(".log") {
            var status = stat()
            guard let number = Int64(name.dropLast(4)), stat(folder + "/" + name, &status) == 0
            else { continue }
            files.append(
                File(
                    number: number, size: Int64(status.st_size), device: status.st_dev,
                    inode: status.st_ino))
        }
        self.files = files.sorted { $0.number < $1.number }
    }

    var bytes: Int64 { files.reduce(0) { $0 + $1.size } }

    /// The bytes before the offset at which this process reads; nil if none of the files is open.
    var reached: Int64? {
        var found: Int64?
        for name in EngineLog.names(in: "/proc/self/fd") {
            var status = stat()
            // A descriptor may be closed meanwhile, and its number reused: then the file is none of
            // these.
            guard let descriptor = Int32(name), fstat(descriptor, &status) == 0,
                let index = files.firstIndex(where: {
                    $0.inode == status.st_ino && $0.device == status.st_dev
                })
            else { continue }
            let before = files[..<index].reduce(0) { $0 + $1.size }
            found = max(found ?? 0, before + max(0, Int64(lseek(descriptor, 0, SEEK_CUR))))
        }
        return found
    }

    private static func names(in folder: String) -> [String] {
        guard let folder = opendir(folder) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            names.append(
                withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
                })
        }
        return names
    }
}
