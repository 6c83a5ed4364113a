/// Writes the archive of a backup, from its beginning or from where an earlier writer stopped.
package struct ArchiveWriter {
    private let layout: ArchiveLayout
    private let file: OwnFile
    /// The number of the file that is being written.
    private var index = 0
    /// The bytes of it that are written.
    private var written: Int64 = 0
    private var sum = FileSum()

    /// Makes the file, and begins it with the manifest whose text is given.
    ///
    /// - Throws: ``BackupError``: `failed` if the file is there already, or cannot be written.
    package init(making path: String, _ manifest: [UInt8]) throws(BackupError) {
        layout = try ArchiveLayout(manifest)
        file = try OwnFile.making(path)
        try file.write(layout.entries[0].header.stored + manifest)
        try file.write(ArchiveLayout.filling(Int64(manifest.count)))
        try beginFile()
    }

    /// Goes on with a file that an earlier writer left.
    ///
    /// The bytes of the last file are summed again; those of the files before it are believed,
    /// because they were summed when they were written.
    ///
    /// - Throws: ``BackupError``: `damaged` if the file is not the beginning of an archive.
    package init(resuming path: String) throws(BackupError) {
        file = try OwnFile.changing(path)
        layout = try ArchiveLayout(reading: file)
        let size = try file.size()
        let files = layout.entries.dropFirst()
        // The last file that has its whole header, or the first one.
        let last = files.lastIndex { $0.dataStart <= size } ?? files.startIndex
        let entry = files[last]
        index = last - 1
        written = min(max(0, size - entry.dataStart), entry.header.size)
        if size >= entry.dataStart {
            try sumAgain(entry)
            try endFileIfWhole()
        } else {
            try file.cut(to: entry.start)
            try file.seek(to: entry.start)
            try beginFile()
        }
    }

    package var manifest: BackupManifest { layout.manifest }

    /// The file whose bytes come next, and how many of them are there; nil if all are.
    package var next: (file: BackupFile, offset: Int64)? {
        guard index < manifest.files.count else { return nil }
        return (manifest.files[index], written)
    }

    /// The bytes of files that are written.
    package var bytes: Int64 {
        manifest.files.prefix(index).reduce(written) { $0 + $1.bytes }
    }

    /// Adds the next bytes of the next file.
    ///
    /// - Throws: ``BackupError``: `damaged` if they are more than the file has, or if the whole
    ///   file has another sum than the manifest says.
    package mutating func add(_ bytes: UnsafeRawBufferPointer) throws(BackupError) {
        guard let next, Int64(bytes.count) <= next.file.bytes - written else {
            throw BackupError(.damaged, "more bytes came than the backup has")
        }
        try file.write(bytes)
        sum.add(bytes)
        written += Int64(bytes.count)
        try endFileIfWhole()
    }

    /// Adds the next bytes of the next file.
    ///
    /// - Throws: As ``add(_:)-(UnsafeRawBufferPointer)``.
    package mutating func add(_ bytes: [UInt8]) throws(BackupError) {
        try bytes.withUnsafeBufferPointer { (bytes) throws(BackupError) in
            try add(UnsafeRawBufferPointer(bytes))
        }
    }

    /// Adds the next file from an older backup, if that has the same file.
    ///
    /// - Returns: Whether it has.
    package mutating func addNext(from old: BackupContents) throws(BackupError) -> Bool {
        guard let next, next.offset == 0 else { return false }
        return try old.read(fileLike: next.file) { (piece) throws(BackupError) in
            try add(piece)
        }
    }

    /// Writes the end, and waits until all is on the device.
    ///
    /// - Throws: ``BackupError``: `damaged` if a file is not whole.
    package mutating func finish() throws(BackupError) {
        guard next == nil else { throw BackupError(.damaged, "a file of the backup is missing") }
        try file.write([UInt8](repeating: 0, count: ArchiveLayout.endBytes))
        try file.sync()
    }

    private mutating func beginFile() throws(BackupError) {
        (written, sum) = (0, FileSum())
        guard index < manifest.files.count else { return }
        try file.write(layout.entries[index + 1].header.stored)
        try endFileIfWhole()
    }

    private mutating func endFileIfWhole() throws(BackupError) {
        guard let next, written == next.file.bytes else { return }
        guard sum.text == next.file.sha256 else {
            // The bytes are not to be believed at the next attempt either.
            let entry = layout.entries[index + 1]
            try file.cut(to: entry.start)
            throw BackupError(.damaged, "\(next.file.path) came damaged")
        }
        let entry = layout.entries[index + 1]
        try file.cut(to: entry.dataStart + entry.header.size)
        try file.seek(to: entry.dataStart + entry.header.size)
        try file.write(ArchiveLayout.filling(entry.header.size))
        index += 1
        try beginFile()
    }

    /// Sums the bytes of an entry that are there, and stands after them.
    private mutating func sumAgain(_ entry: ArchiveLayout.Entry) throws(BackupError) {
        try file.seek(to: entry.dataStart)
        var rest = written
        while rest > 0 {
            let limit = Int(min(rest, Int64(BackupLimits.pieceBytes)))
            let piece = try file.read(count: limit)
            guard !piece.isEmpty else {
                throw BackupError(.damaged, "\(file.path) ends too early")
            }
            piece.withUnsafeBytes { sum.add($0) }
            rest -= Int64(piece.count)
        }
        try file.cut(to: entry.dataStart + written)
        try file.seek(to: entry.dataStart + written)
    }
}
