import ArgumentParser

/// The commands that read another system into a file for `import-app`.
struct MigrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Read the users of another system into a file for import-app.",
        discussion: """
            relationctl migrate tim --accounts users.txt --secret-file key.txt \
            --sdk-app-id 1400000000 --to app.jsonl
            relationctl import-app --from app.jsonl
            """,
        subcommands: [
            MigrateTIM.self, MigrateRongCloud.self, MigrateOpenIM.self, MigrateNakama.self,
        ])

    func run() throws {
        throw Relationctl.lack(Self.self)
    }
}
