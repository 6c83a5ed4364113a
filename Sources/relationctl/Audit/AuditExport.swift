import ArgumentParser
import Glibc
import Protobuf
import RelationAPI
import RelationClient
import Support

struct AuditExport: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write the records into a file, the oldest first.",
        discussion: """
            The file has one record a line, in JSON. It appears under its name when it is \
            complete; only its owner may read it. The hash of the last record is printed. Keep it \
            elsewhere: it shows later whether records at the end are missing.
            """)

    @OptionGroup var connection: Connection

    @Flag(help: "The server's own audit: operators' calls that act for no app.")
    var ofServer = false

    @Option(help: "The sequence after which the file begins.")
    var after: Int64 = 0

    @Argument(help: "The file to write.", completion: .file())
    var path: String

    func validate() throws {
        guard after >= 0 else { throw ValidationError("--after takes a sequence, or 0") }
        try NamedFiles.mustBeFile("the file to write", path)
    }

    func run() async throws {
        let partial = path + ".part"
        let (after, ofServer) = (after, ofServer)
        let last: AuditRecord? = try await connection.calling { client in
            let file = try LineWriter(partial)
            var last: AuditRecord?
            let records = client.auditRecords(after: after, ofServer: ofServer, pageSize: 1_000)
            for try await record in records {
                try file.write(try record.json() + "\n")
                last = record
            }
            try file.close()
            return last
        }
        guard rename(partial, path) == 0 else {
            throw Failure("\(path): \(String(cString: strerror(errno)))")
        }
        guard let last else {
            _ = try StandardOutput.print("audit: no records")
            return
        }
        _ = try StandardOutput.print(
            "audit: up to record \(last.sequence), with the hash \(String(hexadecimal: last.hash))")
    }
}
