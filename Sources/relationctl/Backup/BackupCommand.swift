import ArgumentParser
import Backups
import Glibc
import RelationAPI
import RelationClient

struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Make a backup of a server's whole store, and bring it here, as an operator.",
        discussion: """
            relationctl backup --to relation.tar
            relationctl backup --to tuesday.tar --reuse monday.tar
            relationctl backup --to older.tar --name 20261125T235959Z

            FILE is an archive that tar reads, and relationd restore too. It holds secrets of \
            apps, so only you may read it. A part of it stands in FILE.part: the same command \
            goes on from there after a break. Each file is compared with its sum.
            """)

    @OptionGroup var connection: Connection

    @Option(help: ArgumentHelp("The archive to write; it must not be there.", valueName: "file"))
    var to: String

    @Option(help: ArgumentHelp("Bring this backup, which the server has, and make none."))
    var name: String?

    @Option(
        help: ArgumentHelp(
            "An older archive or folder of a backup: files that it has are not sent again.",
            valueName: "path"))
    var reuse: String?

    func run() async throws {
        guard access(to, F_OK) != 0 else { throw Failure("\(to) is there already") }
        let client = try connection.client()
        do {
            try await bring(client)
            await client.close()
        } catch {
            await client.close()
            let failure = (error as? Failure) ?? (error as? CallError).map { Failure($0) }
            let cause: PlainText =
                failure?.text ?? "\((error as? BackupError)?.message ?? "\(error)")"
            let isPart = access(part, F_OK) == 0
            throw Failure(
                isPart ? "\(cause). The same command goes on from \(part)" : cause,
                failure?.outcome ?? .failed)
        }
    }

    private var part: String { to + ".part" }

    private func bring(_ client: Client) async throws {
        var writer: ArchiveWriter
        if let begun = try await begun(client) {
            writer = begun
        } else {
            let backup = try await backup(client)
            let manifest = try await self.manifest(of: backup, client)
            writer = try ArchiveWriter(making: part, manifest)
        }
        let old = try reuse.map { try BackupContents(at: $0) }
        let total = writer.manifest.bytes
        while let next = writer.next {
            if let old, try writer.addNext(from: old) { continue }
            let bytes = try await reading(
                next.file.path, from: next.offset, of: writer.manifest.name, client)
            while let message = try await bytes.next() {
                try writer.add(message.data)
                show("bringing", writer.bytes, total)
            }
            guard writer.next.map({ $0.file != next.file || $0.offset > next.offset }) ?? true
            else { throw Failure("the server sends nothing of \(next.file.path)") }
        }
        try writer.finish()
        guard rename(part, to) == 0 else {
            throw Failure("\(to): \(String(cString: strerror(errno)))")
        }
        clear()
        _ = try StandardOutput.print(
            "brought the backup \(writer.manifest.name): \(total) bytes in \(to)")
    }

    /// The part that an earlier attempt left, if the server still has that backup.
    private func begun(_ client: Client) async throws -> ArchiveWriter? {
        guard access(part, F_OK) == 0 else { return nil }
        guard let writer = try? ArchiveWriter(resuming: part) else {
            StandardError.print("\(part) is not a beginning of an archive: it is restarted")
            unlink(part)
            return nil
        }
        let known = client.items(of: BackupMethods.listBackups, ListBackupsRequest())
        let sum = try FileSum.text(of: Array(writer.manifest.text().utf8))
        for try await backup in known
        where backup.name == writer.manifest.name && backup.manifestSHA256 == sum {
            return writer
        }
        StandardError.print(
            "the server no longer has the backup \(writer.manifest.name) of \(part): another one "
                + "is brought")
        unlink(part)
        return nil
    }

    /// The backup that is asked for, or a new one.
    private func backup(_ client: Client) async throws -> Backup {
        if let name {
            for try await backup in client.items(
                of: BackupMethods.listBackups, ListBackupsRequest())
            where backup.name == name {
                return backup
            }
            throw Failure("the server has no backup \(name): see relationctl backups")
        }
        let stream = client.stream(BackupMethods.createBackup)
        try await stream.send(CreateBackupRequest())
        stream.finishSending()
        while let message = try await stream.next() {
            switch message.answer {
            case .progress(let progress):
                show("making", progress.bytesDone, progress.bytesTotal)
            case .backup(let backup): return backup
            case nil: continue
            }
        }
        throw Failure("the server ended the call without a backup")
    }

    private func manifest(of backup: Backup, _ client: Client) async throws -> [UInt8] {
        var text: [UInt8] = []
        let bytes = try await reading(BackupManifest.file, from: 0, of: backup.name, client)
        while let message = try await bytes.next() {
            text += message.data
            guard text.count <= BackupLimits.manifestBytes else {
                throw Failure("the server's list of files is too long")
            }
        }
        guard FileSum.text(of: text) == backup.manifestSHA256 else {
            throw Failure("the server's list of files of \(backup.name) is damaged")
        }
        return text
    }

    private func reading(
        _ path: String, from offset: Int64, of name: String, _ client: Client
    ) async throws -> CallStream<ReadBackupRequest, ReadBackupResponse> {
        let stream = client.stream(BackupMethods.readBackup)
        try await stream.send(
            ReadBackupRequest.with {
                $0.name = name
                $0.path = path
                $0.offset = offset
            })
        stream.finishSending()
        return stream
    }

    private func show(_ action: PlainText, _ done: Int64, _ total: Int64) {
        guard StandardError.isTerminal, total > 0 else { return }
        StandardError.print("\r\u{1B}[K\(action): \(done * 100 / total) %", terminator: "")
    }

    private func clear() {
        if StandardError.isTerminal { StandardError.print("\r\u{1B}[K", terminator: "") }
    }
}

struct BackupsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backups",
        abstract: "List the backups that a server has, as an operator.")

    @OptionGroup var connection: Connection

    @OptionGroup var form: DataOutput

    func run() async throws {
        let backups = try await connection.calling { client in
            var backups: [Backup] = []
            let all = client.items(of: BackupMethods.listBackups, ListBackupsRequest())
            for try await backup in all { backups.append(backup) }
            return backups
        }
        let rows = backups.map { backup -> [PlainText] in
            [
                "\(backup.name)", "\(backup.sizeBytes)", "\(backup.fileCount)",
                "\(backup.format)", "\(backup.serverVersion)",
            ]
        }
        let header: [PlainText] = ["NAME", "BYTES", "FILES", "FORMAT", "VERSION"]
        try form.show(PlainTable(rows: [header] + rows).text) { try $0.list(backups) }
    }
}
