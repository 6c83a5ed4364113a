import ArgumentParser
import Migrations
import RelationAPI
import Support

/// The commands that ask two systems the same.
struct CompareCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare",
        abstract: "Ask another system and this service the same, and tell what differs.",
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
            administrator in its settings. Each row and each field that differs is told; the \
            command then ends with status 5. Values that neither system's export can hold are \
            left out.
            """)

    @OptionGroup var source: TIMSource

    @Option(help: "The address of this service, as http://HOST:PORT or https://HOST:PORT.")
    var with: String

    @Option(help: "The number of the app here, if it is another one than the SDKAppID.")
    var withAppID: UInt32?

    @Option(help: "A file with the secret of the app here, if it is another one.")
    var withSecretFile: String?

    @Option(help: "Compare so many of the users, at equal distances; if absent, all.")
    var sample: Int?

    @Option(help: "Write what differs into this file, as JSON lines.")
    var report: String?

    func validate() throws {
        guard (sample ?? 1) > 0 else { throw ValidationError("--sample takes 1 or more") }
        guard source.secretFile != nil || withSecretFile != nil else {
            throw ValidationError("--with-secret-file must be given with --user-sig-file")
        }
    }

    func run() async throws {
        do {
            try await compare(chosen(try source.users()))
        } catch let fault as MigrationFault {
            throw Failure("\(fault.description)", .refused)
        }
    }

    private func chosen(_ users: [String]) -> [String] {
        guard let sample, sample < users.count else { return users }
        return (0..<sample).map { users[$0 * users.count / sample] }
    }

    private func compare(_ users: [String]) async throws {
        let now = SystemClock.wall.milliseconds
        let fields = try CustomFieldFile.fields(source.customFields)
        let old = try source.reader(fields, at: now)
        let secret = try (withSecretFile ?? source.secretFile).map { try LineFile.text($0) } ?? ""
        let app = withAppID ?? source.sdkAppID
        let access = TIMRequests.Access(
            try PostOrigin(with), app: app, administrator: source.administrator,
            signature: try TIMSignature.text(
                app: app, user: source.administrator, secret: secret, at: now / 1_000))
        let new = try source.reader(fields, TIMRequests(access, rate: source.rate), at: now)
        var report = try MigrationReport(report, isGoingOn: false, "differs")
        var progress = MigrationProgress("compare", total: users.count, from: 0)
        var next = 0
        while next < users.count {
            let end = min(next + MigrationLimits.usersAtOnce, users.count)
            let ids = Array(users[next..<end])
            async let before = old.read(ids)
            async let after = new.read(ids)
            let rows = (try await before.rows, try await after.rows)
            try report.add(try RowComparison.differences(between: rows.0, and: rows.1))
            next = end
            progress.show(next)
        }
        await old.calls.close()
        await new.calls.close()
        try report.close()
        _ = try StandardOutput.print("compare: \(users.count) users, \(report.total) differences")
        guard report.isEmpty else {
            report.explain()
            throw ExitCode(ExitStatus.itemsRefused.rawValue)
        }
    }
}
