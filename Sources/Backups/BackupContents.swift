internal import Glibc

/// A backup at rest: a folder, or an archive of it.
package struct BackupContents {
    private enum Form {
        case folder
        case archive(ArchiveLayout)
    }

    package let manifest: BackupManifest
    private let path: String
    private let form: Form

    /// Finds the backup at `path`, and reads its manifest.
    ///
    /// - Throws: ``BackupError``: `failed` if there is nothing to read, `foreign` if it
    ///   is not a backup, `damaged` if its manifest is.
    package init(at path: String) throws(BackupError) {
        self.path = path
        var status = stat()
        guard stat(path, &status) == 0 else { throw .system(path) }
        let kind = status.st_mode & S_IFMT
        guard kind == S_IFDIR || kind == S_IFREG else {
            throw BackupError(
                .foreign,
                "\(path) is a stream, and a backup is read more than once: make it a file first")
        }
        if kind == S_IFDIR {
            let list = "\(path)/\(BackupManifest.file)"
            guard access(list, F_OK) == 0 else {
                throw BackupError(
                    .foreign, "\(path) is not a backup: it has no file \(BackupManifest.file)")
            }
            manifest = try BackupManifest(
                text: OwnFile.bytes(of: list, atMost: BackupLimits.manifestBytes))
            form = .folder
        } else {
            let layout = try ArchiveLayout(reading: OwnFile.reading(path))
            manifest = layout.manifest
            form = .archive(layout)
        }
    }

    /// Reads every file, compares it with its sum, and copies it into `folder` if one is given.
    ///
    /// The copies are on the device when this returns. The folder has the manifest too.
    ///
    /// - Parameter progress: Called with how many of the manifest's bytes have been read.
    /// - Throws: ``BackupError``: `damaged` if a file is missing, cut or has another sum; `failed`
    ///   if the copy cannot be written.
    package func read(
        copyingTo folder: String? = nil, progress: (Int64) -> Void = { _ in }
    ) throws(BackupError) {
        if let folder {
            try make(folder: folder)
            try make(folder: "\(folder)/\(BackupFile.rows)")
        }
        var done: Int64 = 0
        func count(_ bytes: Int) {
            done += Int64(bytes)
            progress(done)
        }
        switch form {
        case .folder:
            for file in manifest.files {
                let source = try opened(file)
                guard try source.size() == file.bytes else {
                    throw BackupError(.damaged, "\(path)/\(file.path) has another size than listed")
                }
                try copy(file, from: source, to: folder, count)
            }
        case .archive(let layout):
            let source = try OwnFile.reading(path)
            for (file, entry) in zip(manifest.files, layout.entries.dropFirst()) {
                try source.seek(to: entry.start)
                try check(source.read(count: ArchiveHeader.bytes) == entry.header.stored, file)
                try copy(file, from: source, to: folder, count)
                let filling = ArchiveLayout.filling(file.bytes)
                try check(source.read(count: filling.count) == filling, file)
            }
            try checkEnd(source, layout)
        }
        if let folder {
            try OwnFile.make("\(folder)/\(BackupManifest.file)", manifest.text())
            try OwnFile.sync(folder: "\(folder)/\(BackupFile.rows)")
            try OwnFile.sync(folder: folder)
        }
    }

    /// Hands the bytes of a file with the sum of `file` to `body`, piece by piece.
    ///
    /// - Returns: Whether the backup has such a file.
    package func read(
        fileLike file: BackupFile, _ body: (UnsafeRawBufferPointer) throws(BackupError) -> Void
    ) throws(BackupError) -> Bool {
        let found = manifest.files.firstIndex { own in
            own.sha256 == file.sha256 && own.bytes == file.bytes
        }
        guard let found else { return false }
        let own = manifest.files[found]
        switch form {
        case .folder: try pieces(of: own, from: opened(own), body)
        case .archive(let layout):
            let source = try OwnFile.reading(path)
            try source.seek(to: layout.entries[found + 1].dataStart)
            try pieces(of: own, from: source, body)
        }
        return true
    }

    /// Removes a folder into which a backup was copied.
    package static func remove(copy folder: String) {
        let rows = "\(folder)/\(BackupFile.rows)"
        if let list = opendir(rows) {
            defer { closedir(list) }
            while let entry = readdir(list) {
                let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
                }
                if BackupFile.isPath("\(BackupFile.rows)/\(name)") { unlink("\(rows)/\(name)") }
            }
        }
        rmdir(rows)
        unlink("\(folder)/\(BackupFile.formatPath)")
        unlink("\(folder)/\(BackupManifest.file)")
        rmdir(folder)
    }

    private func opened(_ file: BackupFile) throws(BackupError) -> OwnFile {
        do throws(BackupError) {
            return try OwnFile.reading("\(path)/\(file.path)")
        } catch {
            throw BackupError(.damaged, "a file is missing: \(error.message)")
        }
    }

    private func make(folder: String) throws(BackupError) {
        guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw .system(folder) }
    }

    private func copy(
        _ file: BackupFile, from source: OwnFile, to folder: String?,
        _ progress: (Int) -> Void
    ) throws(BackupError) {
        var sum = FileSum()
        if let folder {
            let target = try OwnFile.making("\(folder)/\(file.path)")
            try pieces(of: file, from: source) { (piece) throws(BackupError) in
                sum.add(piece)
                try target.write(piece)
                progress(piece.count)
            }
            try target.sync()
        } else {
            try pieces(of: file, from: source) { (piece) throws(BackupError) in
                sum.add(piece)
                progress(piece.count)
            }
        }
        guard sum.text == file.sha256 else {
            throw BackupError(.damaged, "\(file.path) of \(path) is damaged: it has another sum")
        }
    }

    private func pieces(
        of file: BackupFile, from source: OwnFile,
        _ body: (UnsafeRawBufferPointer) throws(BackupError) -> Void
    ) throws(BackupError) {
        var rest = file.bytes
        while rest > 0 {
            let piece = try source.read(count: Int(min(rest, Int64(BackupLimits.pieceBytes))))
            guard !piece.isEmpty else {
                throw BackupError(.damaged, "\(path) ends within \(file.path)")
            }
            try piece.withUnsafeBufferPointer { (bytes) throws(BackupError) in
                try body(UnsafeRawBufferPointer(bytes))
            }
            rest -= Int64(piece.count)
        }
    }

    private func check(_ isAsWritten: Bool, _ file: BackupFile) throws(BackupError) {
        guard isAsWritten else {
            throw BackupError(.damaged, "\(path) is cut or damaged beside \(file.path)")
        }
    }

    private func checkEnd(
        _ source: OwnFile, _ layout: ArchiveLayout
    ) throws(BackupError) {
        try source.seek(to: layout.end)
        let end = try source.read(count: ArchiveLayout.endBytes)
        guard end == [UInt8](repeating: 0, count: ArchiveLayout.endBytes) else {
            throw BackupError(.damaged, "\(path) is cut at its end")
        }
    }
}
