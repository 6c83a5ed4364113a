import ArgumentParser
import Migrations
import Protobuf
import RelationAPI
import RelationModel
import Support

struct MigrateTIM: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tim",
        abstract: "Read a TIM app by its REST API into a file for import-app.",
        discussion: """
            TIM has no list of its accounts, so --accounts names them: one user id a line, or a \
            csv with a column UserID. The command asks for the profile, the friends with all their \
            tags, the groups in their order, the blacklist with its times and, with --follows, the \
            follows of each. Values that the export cannot hold are left out and reported; the \
            command then ends with status 5. The app of the file keeps what TIM keeps without a \
            check, such as birthdays that are not a day, unless --strict is given.

            It makes at most --rate calls a second, and repeats those that fail or are throttled. \
            If it ends before all users are read, the same command goes on after the last of them.
            """)

    @OptionGroup var source: TIMSource

    @Option(name: .customLong("to"), help: "The file to write.", completion: .file())
    var path: String?

    @Option(
        help: "Write what could not be migrated into this file, as JSON lines.",
        completion: .file())
    var report: String?

    @Flag(help: "Write the SecretKey into the file too, for operators to import.")
    var includeSecret = false

    @Flag(help: "Leave out birthdays that are not a day, and sources with more than letters.")
    var strict = false

    @Flag(help: "Read and report, and write no file.")
    var dryRun = false

    func validate() throws {
        guard !includeSecret || source.secretFile != nil else {
            throw ValidationError("--include-secret needs --secret-file")
        }
        guard dryRun == (path == nil) else {
            throw ValidationError("either --to or --dry-run must be given")
        }
        try NamedFiles.mustDiffer(
            reading: source.files,
            writing: NamedFiles.growing("--to", path) + [NamedFile("--report", report)])
    }

    func run() async throws {
        let users = try source.users()
        let fields = try CustomFieldFile.fields(source.customFields, .tim)
        let secret = try source.secret()
        do {
            try await run(users, fields, secret)
        } catch let failure as MigrationError {
            throw Failure("\(failure.description); the same command goes on", .refused)
        }
    }

    private func run(
        _ users: [String], _ fields: CustomFields, _ secret: String?
    ) async throws {
        let now = SystemClock.wall.milliseconds
        let file = try path.map { path in
            try MigrationFile(
                path, identity(users, fields), at: now, unread: source.unread
            ) { time in
                beginning(fields, secret, at: time)
            }
        }
        let reader = try source.reader(
            fields, isStrict: strict, among: KnownUsers(sorted: users), at: now, time: file?.timeMs)
        var pull = Pull(name: "tim", users: users, file: file, report: report)
        let calls = reader.calls
        try await pull.run { users in
            try await reader.read(users)
        } calls: {
            (await calls.count, await calls.repeated)
        }
        await calls.close()
    }

    /// All that decides what the file holds.
    private func identity(_ users: [String], _ fields: CustomFields) throws -> [String] {
        let options =
            "\(source.host) \(source.sdkAppID) \(source.follows) \(source.noWordings) "
            + "\(includeSecret) \(strict)"
        return [options] + (try fields.all.map { try $0.json() }) + users
    }

    /// The rows before the first user.
    private func beginning(
        _ fields: CustomFields, _ secret: String?, at time: Int64
    ) -> [ExportAppResponse] {
        var app = ExportedApp()
        app.appID = source.sdkAppID
        app.preset = .tim
        app.createTimeMs = time
        // TIM's longest, which is more than an app has by default.
        app.settings = .with {
            $0.limits = .with { $0.wording = Limits.timWordingBytes }
            if !strict { $0.keepsTIMValues = true }
        }
        var rows: [ExportAppResponse] = [.with { $0.row = .app(app) }]
        for field in fields.all { rows.append(.with { $0.row = .customField(field) }) }
        if includeSecret, let secret {
            let row = ExportedSecret.with { ($0.createTimeMs, $0.secret) = (time, secret) }
            rows.append(.with { $0.row = .secret(row) })
        }
        return rows
    }
}
