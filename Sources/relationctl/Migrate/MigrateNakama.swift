import ArgumentParser
import Migrations
import RelationAPI
import RelationModel
import TextFiles

struct MigrateNakama: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "nakama",
        abstract: "Read tables of Nakama's database into a file for import-app.",
        discussion: """
            FOLDER has the tables users and user_edge as users.csv and user_edge.csv, whose first \
            line names the columns. Friends, invitations and blocks come over with their times. \
            Logins, wallets and storage do not.

            Texts that the export cannot hold, and rows about users that are not in the table, are \
            left out and reported; the command then ends with status 5.
            """)

    @Argument(help: "The folder of the tables.", completion: .directory)
    var folder: String

    @OptionGroup var output: DumpOutput

    @Option(
        help: "The custom field of profiles that takes the users' metadata: 1 to 8 letters.")
    var userMetadata: String?

    @Option(
        help: "The custom field of profiles that takes the users' time zones: 1 to 8 letters.")
    var userTimezone: String?

    @Option(
        help: "The custom field of friends that takes the friends' metadata: 1 to 8 letters.")
    var friendMetadata: String?

    func validate() throws {
        try output.mustDiffer(from: ["users.csv", "user_edge.csv"], in: folder)
        try DumpOutput.check(keys: [userMetadata, userTimezone, friendMetadata])
        guard userMetadata == nil || userMetadata != userTimezone else {
            throw ValidationError("--user-metadata and --user-timezone must name two fields")
        }
    }

    func run() async throws {
        try output.write("nakama", beginning: beginning) {
            let keys = NakamaTables.Keys(
                userMetadata: userMetadata ?? "", userTimezone: userTimezone ?? "",
                friendMetadata: friendMetadata ?? "")
            let tables = try NakamaTables(
                users: InputFile.opened("\(folder)/users.csv"),
                edges: InputFile.opened("\(folder)/user_edge.csv"), keys)
            return try NakamaReader(tables)
        }
    }

    /// The rows before the first user: an app that behaves as Nakama does.
    private func beginning(at time: Int64) -> [ExportAppResponse] {
        let fields: [(CustomFieldOwner, String?)] = [
            (.profile, userMetadata), (.profile, userTimezone), (.friend, friendMetadata),
        ]
        return DumpOutput.beginning(at: time, fields) { settings in
            // Nakama always asks, and a block ends a friendship.
            settings.defaultAllowType = .needConfirm
            settings.limits?.locationText = MigrationLimits.locationCharacters
        }
    }
}
