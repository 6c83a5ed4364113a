/// The offset of each file in the archive of a backup.
///
/// The manifest is first, and the files follow in its order. Every path begins with the backup's
/// name, and the end is two empty blocks. So the manifest alone says where each byte stands, and a
/// part of an archive shows how far it had come.
struct ArchiveLayout {
    struct Entry {
        let header: ArchiveHeader
        /// Where the header begins.
        let start: Int64

        var dataStart: Int64 { start + Int64(ArchiveHeader.bytes) }
        /// Where the next entry begins.
        var end: Int64 { dataStart + ArchiveLayout.filled(header.size) }
    }

    let manifest: BackupManifest
    /// The bytes of the manifest's file.
    let text: [UInt8]
    /// The manifest's entry, and the entries of the files after it.
    let entries: [Entry]

    init(_ text: [UInt8]) throws(BackupError) {
        manifest = try BackupManifest(text: text)
        self.text = text
        let (name, time) = (manifest.name, manifest.timeMs / 1_000)
        var entries = [
            Entry(
                header: ArchiveHeader(
                    "\(name)/\(BackupManifest.file)", size: Int64(text.count), time: time),
                start: 0)
        ]
        for file in manifest.files {
            guard file.bytes <= BackupLimits.fileBytes else {
                throw BackupError(.failed, "\(file.path) is too long for an archive")
            }
            entries.append(
                Entry(
                    header: ArchiveHeader("\(name)/\(file.path)", size: file.bytes, time: time),
                    start: entries[entries.count - 1].end))
        }
        self.entries = entries
    }

    /// Reads the manifest at the beginning of an archive; its files come next.
    ///
    /// - Throws: ``BackupError``: `foreign` if the file does not begin like an archive of a backup,
    ///   `damaged` if its manifest is.
    init(reading file: OwnFile) throws(BackupError) {
        try file.seek(to: 0)
        let header = try file.read(count: ArchiveHeader.bytes)
        guard let found = try? ArchiveHeader(stored: header),
            found.path.hasSuffix("/\(BackupManifest.file)"),
            found.size <= BackupLimits.manifestBytes
        else { throw BackupError(.foreign, "\(file.path) is not an archive of a backup") }
        let text = try file.read(count: Int(found.size))
        guard text.count == Int(found.size) else {
            throw BackupError(.damaged, "\(file.path) ends within its list of files")
        }
        try self.init(text)
        let filling = ArchiveLayout.filling(found.size)
        guard entries[0].header.stored == header,
            try file.read(count: filling.count) == filling
        else {
            throw BackupError(.damaged, "\(file.path) is damaged beside its list of files")
        }
        try file.seek(to: entries[0].end)
    }

    /// Where the end of the archive begins.
    var end: Int64 { entries[entries.count - 1].end }

    static let endBytes = 2 * ArchiveHeader.bytes

    /// A size with the bytes that fill its last block.
    static func filled(_ size: Int64) -> Int64 {
        let block = Int64(ArchiveHeader.bytes)
        return (size + block - 1) / block * block
    }

    static func filling(_ size: Int64) -> [UInt8] {
        [UInt8](repeating: 0, count: Int(filled(size) - size))
    }
}
