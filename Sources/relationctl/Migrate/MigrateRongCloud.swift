import ArgumentParser
import Migrations
import Protobuf
import RelationAPI
import RelationModel
import Support

struct MigrateRongCloud: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rongcloud",
        abstract: "Read a RongCloud app by its server API into a file for import-app.",
        discussion: """
            --accounts names the users: one id a line, or a csv with a column UserID, and Name, \
            PortraitUri, RegTime and Visibility if there are any. --list-accounts has RongCloud \
            list them first. The command asks for the hosted profile, the permission, the hosted \
            friends and the blacklist of each. Values that the export cannot hold are left out and \
            reported; the command then ends with status 5.

            It makes at most --rate calls a second, and repeats those that fail or are throttled. \
            If it ends before all users are read, the same command goes on after the last of them.
            """)

    @OptionGroup var source: RongCloudSource

    @Option(name: .customLong("to"), help: "The file to write.", completion: .file())
    var path: String?

    @Option(
        help: """
            The visibility of profiles whose users have not chosen one, as the console says: \
            invisible, everyone or friends.
            """)
    var defaultVisibility = "invisible"

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
        let list = source.listAccounts ? source.accounts + ".part" : nil
        try NamedFiles.mustDiffer(
            reading: source.files,
            writing: NamedFiles.growing("--to", path)
                + [NamedFile("--accounts with .part", list), NamedFile("--report", report)])
        let visibility = RongCloudAccount.visibility(defaultVisibility)
        guard let visibility, visibility != .notSet else {
            throw ValidationError("--default-visibility takes invisible, everyone or friends")
        }
    }

    func run() async throws {
        let fields = try CustomFieldFile.fields(source.customFields, .rongCloud)
        do {
            try await run(fields)
        } catch let failure as MigrationError {
            throw Failure("\(failure.description); the same command goes on", .refused)
        }
    }

    private func run(_ fields: CustomFields) async throws {
        let calls = try source.calls()
        if source.listAccounts {
            try await RongCloudAccountFile.list(source.accounts, from: RongCloudListing(calls))
        }
        let accounts = try RongCloudAccountFile.accounts(source.accounts)
        let now = SystemClock.wall.milliseconds
        let file = try path.map { path in
            try MigrationFile(
                path, identity(accounts, fields), at: now, unread: source.unread
            ) { time in
                beginning(fields, at: time)
            }
        }
        let reader = RongCloudReader(
            calls, fields, readsProfiles: !source.noProfiles, readsFriends: !source.noFriends,
            among: KnownUsers(sorted: accounts.map(\.id)), timeMs: file?.timeMs ?? now)
        var pull = Pull(name: "rongcloud", users: accounts, file: file, report: report)
        try await pull.run { accounts in
            try await reader.read(accounts)
        } calls: {
            (await calls.count, await calls.repeated)
        }
        await calls.close()
    }

    /// All that decides what the file holds.
    private func identity(
        _ accounts: [RongCloudAccount], _ fields: CustomFields
    ) throws -> [String] {
        let options =
            "\(source.appKey) \(source.noProfiles) \(source.noFriends) \(defaultVisibility)"
        let users = accounts.flatMap { account in
            [
                account.id, account.name, account.portrait, account.registration,
                account.visibility,
            ]
        }
        return [options] + (try fields.all.map { try $0.json() }) + users
    }

    /// The rows before the first user: an app that behaves as RongCloud does.
    private func beginning(_ fields: CustomFields, at time: Int64) -> [ExportAppResponse] {
        var app = ExportedApp()
        (app.appID, app.preset, app.createTimeMs) = (1, .rongCloud, time)
        app.settings = .with {
            $0.defaultVisibility = RongCloudAccount.visibility(defaultVisibility)
            // RongCloud tells friends who are on the blacklist too.
            $0.keepsFriendshipOnBlacklist = true
        }
        return [.with { $0.row = .app(app) }]
            + fields.all.map { field in .with { $0.row = .customField(field) } }
    }
}
