import ArgumentParser
import Migrations
import Protobuf
import RelationAPI
import RelationModel
import Support
import TextFiles

/// The options for a dump that is read, and the file that it becomes.
struct DumpOutput: ParsableArguments {
    @Option(name: .customLong("to"), help: "The file to write.", completion: .file())
    var path: String?

    @Option(
        help: "Write what could not be migrated into this file, as JSON lines.",
        completion: .file())
    var report: String?

    @Flag(help: "Read and report, and write no file.")
    var dryRun = false

    func validate() throws {
        guard dryRun == (path == nil) else {
            throw ValidationError("either --to or --dry-run must be given")
        }
    }

    /// Checks that the files that are written are others than those of the dump.
    ///
    /// - Throws: `ValidationError` that names both.
    func mustDiffer(from names: [String], in folder: String) throws {
        try NamedFiles.mustDiffer(
            reading: names.map { NamedFile("\($0) of the dump", "\(folder)/\($0)") },
            writing: NamedFiles.growing("--to", path) + [NamedFile("--report", report)])
    }

    /// Writes the users of a dump.
    ///
    /// - Parameters:
    ///   - name: The other system, in words for people.
    ///   - open: Opens the dump.
    ///   - beginning: The rows before the first user, by the time at which the file is begun.
    /// - Throws: ``Failure`` if the dump cannot be read, and the status of refused items if
    ///   anything was left out.
    func write(
        _ name: PlainText, beginning: (Int64) -> [ExportAppResponse],
        from open: () throws -> some DumpReading
    ) throws {
        do {
            try write(name, beginning, try open())
        } catch let failure as MigrationError {
            throw Failure("\(failure.description)")
        } catch let failure as InputFileError {
            throw Failure(failure)
        }
    }

    private func write(
        _ name: PlainText, _ beginning: (Int64) -> [ExportAppResponse], _ reader: some DumpReading
    ) throws {
        // A file without users would end all accounts in a second pass.
        guard reader.count > 0 else { throw Failure("\(name): the dump has no user") }
        var losses = try MigrationReport(report, isGoingOn: false)
        try losses.add(reader.losses)
        let now = SystemClock.wall.milliseconds
        var file = try path.map {
            try MigrationFile($0, at: now, unread: reader.unread, beginning: beginning(now))
        }
        var progress = MigrationProgress(name, total: reader.count, from: 0)
        var next = 0
        while next < reader.count {
            let end = min(next + MigrationLimits.usersAtOnce, reader.count)
            let read = try reader.read(next..<end)
            try losses.add(read.losses)
            try file?.add(read.rows, users: end)
            next = end
            progress.show(next)
        }
        try losses.close()
        let rows = try file?.finish()
        _ = try StandardOutput.print("\(name): \(rows ?? 0) rows of \(reader.count) users")
        guard losses.isEmpty else {
            losses.explain()
            throw ExitCode(ExitStatus.itemsRefused.rawValue)
        }
    }

    // MARK: The app of the file

    /// The rows of an app that has the widest limits, and custom fields of texts.
    ///
    /// - Parameters:
    ///   - fields: The keys of the custom fields, of which those that are absent have no row.
    ///   - set: Sets what makes the app behave as the other system does.
    static func beginning(
        at time: Int64, _ fields: [(CustomFieldOwner, String?)],
        _ set: (inout AppSettingsMessage) -> Void
    ) -> [ExportAppResponse] {
        var limits = AppLimitsMessage()
        limits.friends = MigrationLimits.listUsers
        limits.blacklistedUsers = MigrationLimits.listUsers
        limits.pendencies = MigrationLimits.applications
        limits.nick = MigrationLimits.longTextBytes
        limits.faceURL = MigrationLimits.longTextBytes
        limits.customValue = MigrationLimits.longTextBytes
        limits.remark = MigrationLimits.remarkBytes
        limits.wording = MigrationLimits.wordingBytes
        var settings = AppSettingsMessage()
        settings.limits = limits
        set(&settings)
        var app = ExportedApp()
        (app.appID, app.preset, app.createTimeMs) = (1, .tim, time)
        app.settings = settings
        var rows: [ExportAppResponse] = [.with { $0.row = .app(app) }]
        for (owner, key) in fields {
            guard let key else { continue }
            var field = CustomFieldMessage()
            (field.owner, field.key, field.valueType) = (owner, key, .string)
            rows.append(.with { $0.row = .customField(field) })
        }
        return rows
    }

    /// - Throws: `ValidationError` if one of the keys cannot be that of a custom field.
    static func check(keys: [String?]) throws {
        for key in keys.compactMap({ $0 }) {
            guard AppLimits.tim.allowsCustomKey(key) else {
                throw ValidationError(
                    "\(key) is not a key of 1 to \(AppLimits.tim.customKeyBytes) letters")
            }
        }
    }
}
