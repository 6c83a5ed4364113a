import ArgumentParser
import Migrations

/// The options for a RongCloud app that is read.
struct RongCloudSource: ParsableArguments {
    @Option(
        help: """
            A host of the server API, as RongCloud names it for the data centre of the app; given \
            again, one that takes its place if it does not answer.
            """)
    var host = ["https://api.rong-api.com", "https://api-b.rong-api.com"]

    @Option(help: "The App Key of the app.")
    var appKey: String

    @Option(
        help: "A file with the app's App Secret, with which calls are signed.", completion: .file())
    var secretFile: String

    @Option(
        help: "The file of the users: an id a line, or a csv with a column UserID.",
        completion: .file())
    var accounts: String

    @Flag(
        help: "Write the users that RongCloud lists into the csv of --accounts, if there is none.")
    var listAccounts = false

    @Option(
        help: "A file of the app's custom fields: a CustomField in JSON a line.",
        completion: .file())
    var customFields: String?

    @Option(help: "The most calls a second.")
    var rate = 200

    @Flag(help: "Read no hosted profiles: the app has not enabled them.")
    var noProfiles = false

    @Flag(help: "Read no hosted friends and permissions: the app has not enabled them.")
    var noFriends = false

    /// The files that the options name.
    var files: [NamedFile?] {
        [
            NamedFile("--accounts", accounts), NamedFile("--custom-fields", customFields),
            NamedFile("--secret-file", secretFile),
        ]
    }

    func validate() throws {
        guard !appKey.isEmpty, appKey.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw ValidationError("--app-key takes visible characters of ASCII")
        }
        for text in host { try HostOption.origin("--host", text) }
        guard (1...Limits.migrationRate).contains(rate) else {
            throw ValidationError("--rate takes 1 to \(Limits.migrationRate)")
        }
    }

    /// The kinds that the options leave out.
    var unread: UnreadKinds {
        UnreadKinds(Set((noProfiles ? ["profile"] : []) + (noFriends ? ["friend"] : [])))
    }

    func calls() throws -> RongCloudRequests {
        let origins = try host.map { try HostOption.origin("--host", $0) }
        let access = RongCloudRequests.Access(
            origins, app: appKey, secret: try LineFile.text(secretFile))
        return try RongCloudRequests(access, rate: rate)
    }
}
