import ArgumentParser
import Glibc
import Migrations
import Protobuf
import RelationAPI
import RelationModel
import Support
import TextFiles

struct MigrateOpenIM: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "openim",
        abstract: "Read a dump of OpenIM's database into a file for import-app.",
        discussion: """
            FOLDER has the collections user and friend, and black and friend_request if there are \
            any. They are files such as user.bson, which mongodump writes, or user.json, which \
            mongoexport writes without --jsonArray: a document in JSON a line.

            Applications come over if they wait. Texts that the export cannot hold, and rows about \
            users that are not in the dump, are left out and reported; the command then ends with \
            status 5.
            """)

    @Argument(help: "The folder of the dump.")
    var folder: String

    @Option(name: .customLong("to"), help: "The file to write.")
    var path: String?

    @Option(help: "The custom field of profiles that takes the users' ex: 1 to 8 letters.")
    var userEx: String?

    @Option(help: "The custom field of friends that takes the friends' ex: 1 to 8 letters.")
    var friendEx: String?

    @Option(help: "Write what could not be brought over into this file, as JSON lines.")
    var report: String?

    @Flag(help: "Read and report, and write no file.")
    var dryRun = false

    func validate() throws {
        guard dryRun == (path == nil) else {
            throw ValidationError("either --to or --dry-run must be given")
        }
        for key in [userEx, friendEx].compactMap({ $0 }) {
            guard (1...Limits.customKeyLetters).contains(key.utf8.count),
                key.utf8.allSatisfy({ (0x41...0x5a).contains($0) || (0x61...0x7a).contains($0) })
            else { throw ValidationError("\(key) is no key of 1 to 8 letters") }
        }
    }

    func run() async throws {
        do {
            try read()
        } catch let fault as MigrationFault {
            throw Failure("\(fault.description)")
        } catch let fault as InputFileError {
            throw Failure(fault)
        }
    }

    private func read() throws {
        guard let users = try collection("user"), let friends = try collection("friend") else {
            throw Failure(
                "\(folder): has no user.bson and friend.bson, nor user.json and friend.json")
        }
        let dump = OpenIMDump(
            users: users, friends: friends, blacks: try collection("black"),
            requests: try collection("friend_request"))
        let reader = try OpenIMReader(dump, userKey: userEx ?? "", friendKey: friendEx ?? "")
        var losses = try MigrationReport(report, isGoingOn: false)
        try losses.add(reader.losses)
        let now = SystemClock.wall.milliseconds
        var file = try path.map { try MigrationFile($0, at: now, head: head(at: now)) }
        var progress = MigrationProgress("openim", total: reader.count, from: 0)
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
        _ = try StandardOutput.print("openim: \(rows ?? 0) rows of \(reader.count) users")
        guard losses.isEmpty else {
            losses.explain()
            throw ExitCode(ExitStatus.itemsRefused.rawValue)
        }
    }

    /// A collection of the dump; nil if the folder has no file of it.
    private func collection(_ name: String) throws -> DumpFile? {
        for ending in ["bson", "json", "jsonl"] {
            let path = "\(folder)/\(name).\(ending)"
            guard access(path, F_OK) == 0 else { continue }
            return DumpFile(try InputFile.opened(path), isBinary: ending == "bson")
        }
        StandardError.print("openim: \(folder) has no collection \(name)")
        return nil
    }

    /// The rows before the first user: an app that behaves as OpenIM does, with the widest limits.
    private func head(at time: Int64) -> [ExportAppResponse] {
        var limits = AppLimitsMessage()
        limits.friends = MigrationLimits.listUsers
        limits.blacklistedUsers = MigrationLimits.listUsers
        limits.pendencies = MigrationLimits.applications
        limits.nick = MigrationLimits.longTextBytes
        limits.faceURL = MigrationLimits.longTextBytes
        limits.customValue = MigrationLimits.longTextBytes
        limits.remark = MigrationLimits.remarkBytes
        limits.wording = MigrationLimits.wordingBytes
        var app = ExportedApp()
        (app.appID, app.preset, app.createTimeMs) = (1, .tim, time)
        app.settings = .with {
            $0.limits = limits
            // OpenIM always asks, and a blacklist leaves friends as they are.
            $0.defaultAllowType = .needConfirm
            $0.keepsFriendshipOnBlacklist = true
        }
        var rows: [ExportAppResponse] = [.with { $0.row = .app(app) }]
        let fields: [(CustomFieldOwner, String?)] = [(.profile, userEx), (.friend, friendEx)]
        for (owner, key) in fields {
            guard let key else { continue }
            var field = CustomFieldMessage()
            (field.owner, field.key, field.valueType) = (owner, key, .string)
            rows.append(.with { $0.row = .customField(field) })
        }
        return rows
    }
}
