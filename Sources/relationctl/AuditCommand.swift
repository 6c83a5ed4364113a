import ArgumentParser

struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "Write the audit of an app into a file, or verify such a file.",
        discussion: """
            The audit records who wrote, and which calls were refused. The server makes it if its \
            setting audit-days is above 0.

            relationctl audit export audit.jsonl
            relationctl audit verify audit.jsonl --head 3b9f…
            """,
        subcommands: [AuditExport.self, AuditVerify.self])

    func run() throws {
        throw Relationctl.lack(Self.self)
    }
}
