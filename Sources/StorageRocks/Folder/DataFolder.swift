internal import Glibc
internal import Storage

/// The folder that holds one store: a file with the format, a mark, and the engine's files.
///
/// ```
/// FOLDER/FORMAT     relation-chain store, format 6, see ``StoreFormat``
/// FOLDER/MARK       how far the last synced commit had come, see ``Mark``
/// FOLDER/rows/      the engine's own
/// ```
///
/// While a store is being made, the file is called `FORMAT.new`. A crash then leaves a folder that
/// is made again, and that does not look like one of another program.
struct DataFolder {
    private static let formatFile = "FORMAT"
    private static let newFormatFile = "FORMAT.new"

    let path: String
    /// Whether the store must still be made.
    let isNew: Bool
    /// The format of its rows; that of this program if the store must still be made.
    let format: StoreFormat
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
        let found = try DataFolder.format(of: path)
        (isNew, format) = (found == nil, found ?? .current)
        notice = try OwnerOnly.settle(path)
        if isNew {
            try DataFolder.write(
                StoreFormat.current.line + "\n", to: "\(path)/\(DataFolder.newFormatFile)")
        }
    }

    /// The format of the folder's store; nil if the folder holds nothing but one that was never
    /// finished.
    ///
    /// - Throws: ``StorageError`` with the code `foreign` if it belongs to another program, or has
    ///   a format that this one does not know.
    private static func format(of path: String) throws(StorageError) -> StoreFormat? {
        if let found = try DataFolder.contents(of: path + "/" + DataFolder.formatFile) {
            return try known(found, in: path)
        }
        let names = try DataFolder.names(in: path)
        guard names.isEmpty || names.contains(DataFolder.newFormatFile) else {
            throw StorageError(
                .foreign,
                "the data folder \(path) holds files of something else, such as "
                    + "\(names[0]); choose an empty or a new folder")
        }
        return nil
    }

    /// The format that the text of a folder's file says.
    private static func known(
        _ text: String, in path: String
    ) throws(StorageError) -> StoreFormat {
        let line = String(text.firstLine)
        guard let format = StoreFormat(line: line) else {
            throw StorageError(
                .foreign, "the data folder \(path) has a file of another program: FORMAT")
        }
        guard format.isKnown else {
            let isNewer = max(format.number, format.next ?? 0) > StoreFormat.current.number
            throw StorageError(
                .foreign,
                "the data folder \(path) holds another format: \(line); this program reads "
                    + "\(knownFormats). "
                    + (isNewer
                        ? "Serve it with the newer version that wrote it, or restore the backup "
                            + "that was made before its upgrade"
                        : "Serve it with the versions between first, one after another"))
        }
        return format
    }

    /// - Throws: ``StorageError`` with the code `foreign` if the folder is another program's, or
    ///   has a format that this one does not know.
    static func checkContents(of path: String) throws(StorageError) {
        _ = try format(of: path)
    }

    /// - Throws: ``StorageError`` with the code `foreign` if `path` is not data folder of this
    ///   program's format.
    static func checkFormat(of path: String) throws(StorageError) {
        let found = try contents(of: "\(path)/\(formatFile)")
        guard let found else {
            throw StorageError(
                .foreign, "\(path) is not a data folder: it has no file \(formatFile)")
        }
        guard try known(found, in: path).isCurrent else {
            throw StorageError(
                .foreign,
                "the data folder \(path) holds an older format: \(found.firstLine); look at it "
                    + "with the version that wrote it, or after relationd serve has upgraded it")
        }
    }

    /// The formats that this program opens, in words.
    static var knownFormats: String {
        "formats \(StoreFormat.oldest) to \(StoreFormat.current.number)"
    }

    /// Writes another format, durably and at once.
    func write(_ format: StoreFormat) throws(StorageError) {
        let new = "\(path)/\(Self.formatFile).next"
        try Self.write(format.line + "\n", to: new)
        guard rename(new, "\(path)/\(Self.formatFile)") == 0 else {
            throw .system("cannot rename \(new)")
        }
        try held.sync()
    }

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
    /// system does not report them.
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
