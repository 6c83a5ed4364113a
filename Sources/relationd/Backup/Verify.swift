import ArgumentParser
import Backups
import Glibc
import Protobuf
import RelationCore
import Storage
import StorageRocks

struct Verify: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Look at every row of a backup, or of a data folder that no server has open.",
        discussion: """
            Of a backup it compares each file with its sum first. Then it reads every row, does \
            what CheckIntegrity does for each app, and compares the amounts with the backup's list \
            of files. An archive is unpacked for that into a folder beside it, which is removed \
            afterwards. Nothing is changed. It ends with status 1 if anything is wrong.
            """)

    @Argument(help: "A data folder, an archive of a backup, or the folder of a backup.")
    var path: String

    func run() throws {
        FileModes.close()
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw FatalError("\(path): \(String(cString: strerror(errno)))")
        }
        let isFolder = status.st_mode & S_IFMT == S_IFDIR
        if isFolder, access("\(path)/\(BackupManifest.file)", F_OK) != 0 {
            return try rethrowing { () throws(StorageError) in
                try RestingRows.reading(dataFolder: path) { (rows) throws(StorageError) in
                    try check(at: rows, nil)
                }
            }
        }
        let contents = try rethrowing { () throws(BackupError) in try BackupContents(at: path) }
        let bytes = ProgressLine("comparing sums", of: contents.manifest.bytes)
        if isFolder {
            try rethrowing { () throws(BackupError) in try contents.read { bytes.show($0) } }
            bytes.end()
            return try check(at: path, contents.manifest)
        }
        // The folder's name has the process's number: another attempt does not use what this left.
        let folder = "\(path).verify-\(getpid())"
        defer { BackupContents.remove(copy: folder) }
        try rethrowing { () throws(BackupError) in
            try contents.read(copyingTo: folder) { bytes.show($0) }
        }
        bytes.end()
        try check(at: folder, contents.manifest)
    }

    private func check(at folder: String, _ manifest: BackupManifest) throws {
        try rethrowing { () throws(StorageError) in
            let rows = try RestingRows("\(folder)/\(BackupFile.rows)")
            defer { rows.close() }
            try check(at: rows, manifest)
        }
    }

    private func check(at rows: RestingRows, _ manifest: BackupManifest?) throws(StorageError) {
        let snapshot = try rows.snapshot()
        defer { snapshot.close() }
        let progress = ProgressLine("reading rows", of: rows.statistics().rows)
        var verification = Verification()
        try verification.run(snapshot, expected: manifest?.apps) { progress.show($0) }
        progress.end()
        for error in verification.errors { print(JSONQuote.plain("\(error)")) }
        guard verification.errorCount == 0 else {
            throw StorageError(.corrupted, "\(verification.errorCount) faults")
        }
        print(
            "\(path) is whole: \(verification.rows) rows, \(verification.users) accounts, "
                + "\(verification.counts.count) apps")
    }

    /// Runs `body`, and rethrows its error with the path.
    private func rethrowing<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws -> Result {
        do throws(Failure) {
            return try body()
        } catch {
            var message =
                (error as? BackupError)?.message ?? (error as? StorageError)?.message ?? "\(error)"
            if (error as? StorageError)?.code == .locked { message = "it is in use by a server" }
            throw FatalError(message.hasPrefix(path) ? message : "\(path): \(message)")
        }
    }
}
