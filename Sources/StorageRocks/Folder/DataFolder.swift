internal import Glibc
internal import Storage

/// The folder that holds one store: a file with the format, a mark, and the engine's files.
///
/// ```
/// FOLDER/FORMAT     relation-chain store, format 5
/// FOLDER/MARK       how far the last synced commit had come, see ``Mark``
/// FOLDER/rows/      the engine's own
/// ```
///
/// While a store is being made, the file is called `FORMAT.new`. A crash then leaves a folder that
/// is made again, and that does not look like one of another program.
struct DataFolder {
    private static let formatFile = "FORMAT"
    private static let newFormatFile = "FORMAT.new"
    /// The rows of format 4 had two more indexes of friends and 64 lanes of the feed, those of
    /// format 3 the fields of the contract before v1.
    static let format = "relation-chain store, format 5\n"

    let path: String
    /// Whether the store must still be made.
    let isNew: Bool
    /// The lock that keeps other processes out.
    let held: HeldFolder
    /// A change of rights that keeps its secrets, for the log; nil if none was needed.
    let notice: String?

    static let rowsName = "rows"

    var rowsPath: String { "\(path)/\(Self.rowsName)" }
    var markPath: String { path + "/MARK" }

    /// Finds or makes the folder, and makes sure that only the process's user may read it.
    ///
    /// - Throws: ``StorageError`` with one of these codes. `failed`: the folder cannot be made,
    ///   read or written. `locked`: another process holds it. `foreign`: it holds other files, or a
    ///   format that this program does not know. `exposed`: others may read it, and this process
    ///   may not change that.
    init(_ path: String) throws(StorageError) {
        self.path = path
        try DataFolder.make(path)
        guard access(path, W_OK | X_OK) == 0 else {
            throw .system("the data folder \(path) cannot be written to")
        }
        held = try HeldFolder(path)
        isNew = try DataFolder.isNew(path)
        notice = try OwnerOnly.settle(path)
        if isNew {
            try DataFolder.write(DataFolder.format, to: path + "/" + DataFolder.newFormatFile)
        }
    }

    /// Whether the folder holds nothing but a store that was never finished.
    ///
    /// - Throws: ``StorageError`` with the code `foreign` if it belongs to another program.
    private static func isNew(_ path: String) throws(StorageError) -> Bool {
        if let found = try DataFolder.contents(of: path + "/" + DataFolder.formatFile) {
            guard found == DataFolder.format else {
                throw StorageError(
                    .foreign,
                    "the data folder \(path) holds another format: \(found.firstLine); "
                        + "this program reads only \(DataFolder.format.firstLine)")
            }
            return false
        }
        let names = try DataFolder.names(in: path)
        guard names.isEmpty || names.contains(DataFolder.newFormatFile) else {
            throw StorageError(
                .foreign,
                "the data folder \(path) holds files of something else, such as "
                    + "\(names[0]); choose an empty or a new folder")
        }
        return true
    }

    /// - Throws: ``StorageError`` with the code `foreign` if `path` is no data folder that this
    ///   program opens.
    static func checkFormat(of path: String) throws(StorageError) {
        let found = try contents(of: "\(path)/\(formatFile)")
        guard let found else {
            throw StorageError(.foreign, "\(path) is no data folder: it has no file \(formatFile)")
        }
        guard isKnown(format: String(found.firstLine)) else {
            throw StorageError(
                .foreign,
                "the data folder \(path) holds another format: \(found.firstLine); "
                    + "this program reads \(knownFormats)")
        }
    }

    /// Whether this program opens a store whose format is that line.
    static func isKnown(format: String) -> Bool { format == Self.format.firstLine }

    /// The formats that this program opens, in words.
    static var knownFormats: String { "only \(format.firstLine)" }

    /// Records on the device that the store is made.
    ///
    /// Call it once the engine has opened.
    func finishMaking() throws(StorageError) {
        guard isNew else { return }
        let old = path + "/" + DataFolder.newFormatFile
        guard rename(old, path + "/" + DataFolder.formatFile) == 0 else {
            throw .system("cannot rename \(old)")
        }
        try held.sync()
    }

    /// The bytes that this process may still write on the device of the folder; nil if the file
    /// system does not tell them.
    static func freeBytes(_ path: String) -> UInt64? {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        return UInt64(status.f_bavail) * UInt64(status.f_frsize)
    }

    /// Makes the folder, and the folders above it that are missing.
    static func make(_ path: String) throws(StorageError) {
        var status = stat()
        if stat(path, &status) == 0 {
            guard status.st_mode & S_IFMT == S_IFDIR else {
                throw StorageError(.foreign, "\(path) is a file, not a data folder")
            }
            return
        }
        let found = errno
        if found == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex {
            try make(String(path[..<slash]))
        }
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw .system("the data folder \(path) cannot be made")
        }
    }

    /// The names of the entries of the folder, in order.
    static func names(in path: String) throws(StorageError) -> [String] {
        guard let folder = opendir(path) else {
            throw .system("the data folder \(path) cannot be read")
        }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            // A fresh file system has the last of these names.
            if ![".", "..", "lost+found"].contains(name) { names.append(name) }
        }
        return names.sorted()
    }

    /// The first bytes of a small file, or nil if there is none.
    private static func contents(of path: String) throws(StorageError) -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw .system("cannot read \(path)")
        }
        defer { Glibc.close(file) }
        let text = [UInt8](unsafeUninitializedCapacity: 256) { buffer, count in
            count = max(0, Glibc.read(file, buffer.baseAddress, buffer.count))
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func write(_ text: String, to path: String) throws(StorageError) {
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw .system("cannot write \(path)") }
        defer { Glibc.close(file) }
        let bytes = Array(text.utf8)
        guard Glibc.write(file, bytes, bytes.count) == bytes.count, fsync(file) == 0 else {
            throw .system("cannot write \(path)")
        }
    }
}

extension String {
    fileprivate var firstLine: Substring {
        prefix { !$0.isNewline }
    }
}
