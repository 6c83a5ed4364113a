import ArgumentParser
import Glibc
import Migrations
import RelationAPI
import RelationModel
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

    @Argument(help: "The folder of the dump.", completion: .directory)
    var folder: String

    @OptionGroup var output: DumpOutput

    @Option(help: "The custom field of profiles that takes the users' ex: 1 to 8 letters.")
    var userEx: String?

    @Option(help: "The custom field of friends that takes the friends' ex: 1 to 8 letters.")
    var friendEx: String?

    func validate() throws {
        let collections = ["user", "friend", "black", "friend_request"]
        try output.mustDiffer(
            from: collections.flatMap { ["\($0).bson", "\($0).json", "\($0).jsonl"] }, in: folder)
        try DumpOutput.check(keys: [userEx, friendEx])
    }

    func run() async throws {
        try output.write("openim", beginning: beginning) {
            guard let users = try collection("user"), let friends = try collection("friend") else {
                throw Failure(
                    "\(folder): has no user.bson and friend.bson, nor user.json and friend.json")
            }
            let dump = OpenIMDump(
                users: users, friends: friends, blacks: try collection("black"),
                requests: try collection("friend_request"))
            return try OpenIMReader(dump, userKey: userEx ?? "", friendKey: friendEx ?? "")
        }
    }

    /// A collection of the dump; nil if the folder has no file of it.
    ///
    /// - Throws: ``Failure`` if the folder has two files of it, or one that cannot be read.
    private func collection(_ name: String) throws -> DumpFile? {
        let endings = ["bson", "json", "jsonl"]
            .filter { access("\(folder)/\(name).\($0)", F_OK) == 0 }
        // One of them may be empty, or of another day.
        guard endings.count < 2 else {
            throw Failure(
                "\(folder): has \(name).\(endings[0]) and \(name).\(endings[1]): leave one of them")
        }
        if let ending = endings.first {
            let path = "\(folder)/\(name).\(ending)"
            return DumpFile(try InputFile.opened(path), ending == "bson" ? .bson : .json)
        }
        StandardError.print("openim: \(folder) has no collection \(name)")
        return nil
    }

    /// The rows before the first user: an app that behaves as OpenIM does.
    private func beginning(at time: Int64) -> [ExportAppResponse] {
        DumpOutput.beginning(at: time, [(.profile, userEx), (.friend, friendEx)]) { settings in
            // OpenIM always asks, and a blacklist leaves friends as they are.
            settings.defaultAllowType = .needConfirm
            settings.keepsFriendshipOnBlacklist = true
        }
    }
}
