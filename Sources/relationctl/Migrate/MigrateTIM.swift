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
            command then ends with status 5.

            It makes at most --rate calls a second, and repeats those that fail or are throttled. \
            If it ends before all users are read, the same command goes on after the last of them.
            """)

    @Option(help: "The host of the REST API, as TIM names it for the data centre of the app.")
    var host = "https://console.tim.qq.com"

    @Option(help: "The app's SDKAppID.")
    var sdkAppID: UInt32

    @Option(help: "The administrator of the app as whom calls are made.")
    var administrator = "administrator"

    @Option(help: "A file with the app's SecretKey, with which a signature is made.")
    var secretFile: String?

    @Option(help: "A file with a UserSig of the administrator, instead of the SecretKey.")
    var userSigFile: String?

    @Option(help: "The file of the accounts' user ids.")
    var accounts: String

    @Option(help: "The column of the user ids, if the file of accounts is a csv.")
    var column: String?

    @Option(help: "A file of the app's custom fields: a CustomField in JSON a line.")
    var customFields: String?

    @Option(name: .customLong("to"), help: "The file to write.")
    var path: String?

    @Option(help: "Write what could not be brought over into this file, as JSON lines.")
    var report: String?

    @Option(help: "The most calls a second.")
    var rate = 200

    @Flag(help: "Read whom users follow too: only some TIM apps may.")
    var follows = false

    @Flag(help: "Leave out the wordings of applications and the times of remarks: fewer calls.")
    var noWordings = false

    @Flag(help: "Write the SecretKey into the file too, for operators to import.")
    var includeSecret = false

    @Flag(help: "Read and report, and write no file.")
    var dryRun = false

    func validate() throws {
        guard (secretFile == nil) != (userSigFile == nil) else {
            throw ValidationError("either --secret-file or --user-sig-file must be given")
        }
        guard !includeSecret || secretFile != nil else {
            throw ValidationError("--include-secret needs --secret-file")
        }
        guard dryRun == (path == nil) else {
            throw ValidationError("either --to or --dry-run must be given")
        }
        guard (1...Limits.migrationRate).contains(rate) else {
            throw ValidationError("--rate takes 1 to \(Limits.migrationRate)")
        }
    }

    func run() async throws {
        let users = try MigratedAccounts.users(accounts, column: column)
        let fields = try CustomFieldFile.fields(customFields)
        let secret = try secretFile.map { try Self.line($0) }
        do {
            try await run(users, fields, secret)
        } catch let fault as MigrationFault {
            throw Failure("\(fault.description); the same command goes on", .refused)
        }
    }

    private func run(
        _ users: [String], _ fields: CustomFields, _ secret: String?
    ) async throws {
        let now = SystemClock.wall.milliseconds
        let origin = try PostOrigin(host)
        let signature = try secret.map {
            try TIMSignature.text(
                app: sdkAppID, user: administrator, secret: $0, at: now / 1_000)
        }
        let access = TIMCalls.Access(
            origin, app: sdkAppID, administrator: administrator,
            signature: try signature ?? Self.line(userSigFile ?? ""))
        var file = try path.map { path in
            try MigrationFile(path, identity(users, fields), at: now) { time in
                head(fields, secret, at: time)
            }
        }
        let done = file?.users ?? 0
        var progress = MigrationProgress("tim", total: users.count, from: done)
        var losses = try MigrationReport(report, isGoingOn: done > 0)
        let reader = TIMReader(
            try TIMCalls(access, rate: rate), fields, readsFollows: follows,
            readsWordings: !noWordings, timeMs: file?.timeMs ?? now)
        if done > 0 { StandardError.print("tim: goes on after \(done) of \(users.count) users") }
        var next = done
        while next < users.count {
            let end = min(next + MigrationLimits.usersAtOnce, users.count)
            let read = try await reader.read(Array(users[next..<end]))
            try losses.add(read.losses)
            try file?.add(read.rows, users: end)
            next = end
            progress.show(next, calls: await reader.calls.count)
        }
        let (calls, repeated) = (await reader.calls.count, await reader.calls.repeated)
        await reader.calls.close()
        try losses.close()
        let rows = try file?.finish()
        _ = try StandardOutput.print(
            "tim: \(rows ?? 0) rows of \(users.count) users, by \(calls) calls of which \(repeated)"
                + " were repeated")
        guard losses.isEmpty else {
            losses.explain()
            throw ExitCode(ExitStatus.itemsRefused.rawValue)
        }
    }

    private static func line(_ path: String) throws -> String {
        guard let line = try LineFile.read(path), !line.isEmpty else {
            throw Failure("\(path): has no line")
        }
        return line
    }

    /// All that decides what the file holds.
    private func identity(_ users: [String], _ fields: CustomFields) throws -> [String] {
        let options = "\(host) \(sdkAppID) \(follows) \(noWordings) \(includeSecret)"
        return [options] + (try fields.all.map { try $0.json() }) + users
    }

    /// The rows before the first user.
    private func head(
        _ fields: CustomFields, _ secret: String?, at time: Int64
    ) -> [ExportAppResponse] {
        var app = ExportedApp()
        app.appID = sdkAppID
        app.preset = .tim
        app.createTimeMs = time
        // TIM's longest, which is more than an app has by default.
        app.settings = .with { $0.limits = .with { $0.wording = Limits.timWordingBytes } }
        var rows: [ExportAppResponse] = [.with { $0.row = .app(app) }]
        for field in fields.all { rows.append(.with { $0.row = .customField(field) }) }
        if includeSecret, let secret {
            let row = ExportedSecret.with { ($0.createTimeMs, $0.secret) = (time, secret) }
            rows.append(.with { $0.row = .secret(row) })
        }
        return rows
    }
}
