import ArgumentParser
import Migrations
import Protobuf
import RelationAPI
import RelationModel
import Support

/// The commands that ask two systems the same.
struct CompareCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare",
        abstract: "Ask another system and this service the same, and report differences.",
        discussion: """
            relationctl compare tim --accounts users.txt --sample 1000 --secret-file key.txt \
            --sdk-app-id 1400000000 --with http://127.0.0.1:7450
            """,
        subcommands: [CompareTIM.self])

    func run() throws {
        throw Relationctl.lack(Self.self)
    }
}

struct CompareTIM: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tim",
        abstract: "Compare users of a TIM app with those of an app here.",
        discussion: """
            Both are asked by TIM's REST API: the app here must have switched it on, and have the \
            administrator in its settings. Each row and each field that differs is reported; the \
            command then ends with status 5. So is what one of both did not tell, and users that \
            neither has: they could not be compared. Values that neither system's export can hold \
            are left out.

            With --state the position and the counts are kept in a file after each hundred \
            users. If the command ends early, by Ctrl-C or an error, the same command continues; \
            the file is removed once all users are compared.
            """)

    @OptionGroup var source: TIMSource

    @OptionGroup var form: DataOutput

    @Option(help: "The address of this service, as http://HOST:PORT or https://HOST:PORT.")
    var with: String

    @Option(help: "The number of the app here, if it is another one than the SDKAppID.")
    var withAppID: UInt32?

    @Option(
        help: "A file with the secret of the app here, if it is another one.", completion: .file())
    var withSecretFile: String?

    @Option(help: "Compare so many of the users, at equal distances; if absent, all.")
    var sample: Int?

    @Option(help: "Write what differs into this file, as JSON lines.", completion: .file())
    var report: String?

    @Option(
        help: "Keep the position in this file, so that the same command can go on.",
        completion: .file())
    var state: String?

    func validate() throws {
        try HostOption.origin("--with", with)
        guard withAppID != 0 else {
            throw ValidationError("--with-app-id takes the number of an app, from 1 on")
        }
        guard (sample ?? 1) > 0 else { throw ValidationError("--sample takes 1 or more") }
        guard source.secretFile != nil || withSecretFile != nil else {
            throw ValidationError("--with-secret-file must be given with --user-sig-file")
        }
        try NamedFiles.mustDiffer(
            reading: source.files + [NamedFile("--with-secret-file", withSecretFile)],
            writing: [
                NamedFile("--report", report), NamedFile("--state", state),
                NamedFile("--state with .new", state.map { $0 + ".new" }),
            ])
    }

    func run() async throws {
        do {
            try await compare(chosen(try source.users()))
        } catch let failure as MigrationError {
            let rest: PlainText = state == nil ? "" : "; the same command goes on"
            throw Failure("\(failure.description)\(rest)", .refused)
        }
    }

    private func chosen(_ users: [String]) -> [String] {
        guard let sample, sample < users.count else { return users }
        return (0..<sample).map { users[$0 * users.count / sample] }
    }

    private func compare(_ users: [String]) async throws {
        let now = SystemClock.wall.milliseconds
        let fields = try CustomFieldFile.fields(source.customFields, .tim)
        let old = try source.reader(fields, at: now)
        let new = try ownReader(fields, at: now)
        var saved = try state.map { try ComparisonState($0, identity(users, fields)) }
        let done = saved?.users ?? 0
        var report =
            if let saved, done > 0 {
                try MigrationReport(report, from: saved, "differs")
            } else {
                try MigrationReport(report, isGoingOn: false, "differs")
            }
        if done > 0 {
            StandardError.print("compare: goes on after \(done) of \(users.count) users")
        }
        var progress = MigrationProgress("compare", total: users.count, from: done)
        var next = done
        var (differences, uncompared) = (saved?.differences ?? 0, saved?.uncompared ?? 0)
        while next < users.count {
            let end = min(next + MigrationLimits.usersAtOnce, users.count)
            let ids = Array(users[next..<end])
            async let before = old.read(ids)
            async let after = new.read(ids)
            let found = try RowComparison.findings(between: try await before, and: try await after)
            try report.add(found.differences + found.uncompared)
            differences += found.differences.count
            uncompared += Set(found.uncompared.map { $0.user }).count
            next = end
            try saved?.move(
                to: next, report.counts, uncompared: uncompared, differences: differences,
                reportBytes: report.bytes)
            progress.show(next)
        }
        await old.calls.close()
        await new.calls.close()
        try report.close()
        saved?.finish()
        let rest: PlainText =
            uncompared > 0 ? ", and \(uncompared) users that could not be compared" : ""
        let compared = users.count - uncompared
        let words: PlainText = "compare: \(compared) users, \(differences) differences"
        try form.show(words + rest + "\n") { _ in
            .object([
                ("users", .whole(compared)), ("differences", .whole(differences)),
                ("uncompared", .whole(uncompared)),
            ])
        }
        guard report.isEmpty else {
            report.explain()
            throw ExitCode(ExitStatus.itemsRefused.rawValue)
        }
    }

    /// A reader of the app here.
    private func ownReader(_ fields: CustomFields, at now: Int64) throws -> TIMReader {
        let secret = try (withSecretFile ?? source.secretFile).map { try LineFile.text($0) } ?? ""
        let app = withAppID ?? source.sdkAppID
        let access = TIMRequests.Access(
            try HostOption.origin("--with", with), app: app, administrator: source.administrator,
            signature: try TIMSignature.text(
                app: app, user: source.administrator, secret: secret, at: now / 1_000))
        return try source.reader(fields, TIMRequests(access, rate: source.rate), at: now)
    }

    /// All that decides what is compared, and where it is reported.
    private func identity(_ users: [String], _ fields: CustomFields) throws -> [String] {
        let systems = [
            source.host, "\(source.sdkAppID)", with, "\(withAppID ?? source.sdkAppID)",
            "\(source.follows)", "\(source.noWordings)", report ?? "",
        ]
        return systems + (try fields.all.map { try $0.json() }) + users
    }
}
