import ArgumentParser
import Glibc
import Protobuf
import RelationAPI
import RelationClient

struct ExportUser: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export-user",
        abstract: "Write everything that an app has of one user into a file.",
        discussion: """
            The file has one message of ExportUser a line, in JSON: for a user who asks for a copy \
            of its data. It appears under its name when it is complete; only its owner may read it.
            """)

    @OptionGroup var connection: Connection

    @Argument(help: "The user.")
    var user: String

    @Option(name: .customLong("to"), help: "The file to write.", completion: .file())
    var path: String

    func validate() throws { try NamedFiles.mustBeFile("--to", path) }

    func run() async throws {
        let client = try connection.client()
        let partial = path + ".part"
        var file = try LineWriter(partial)
        let point: ExportPoint
        do {
            point = try await read(client, &file)
        } catch let error as CallError {
            await client.close()
            unlink(partial)
            throw Failure(error)
        }
        await client.close()
        try file.close()
        guard point.complete, rename(partial, path) == 0 else {
            throw Failure("\(path): \(String(cString: strerror(errno)))")
        }
        _ = try StandardOutput.print("export: \(point.rows) parts of \(user)")
    }

    /// Writes the whole stream, and returns its last point.
    private func read(_ client: Client, _ file: inout LineWriter) async throws -> ExportPoint {
        let stream = client.stream(MaintenanceMethods.exportUser)
        try await stream.send(ExportUserRequest.with { $0.exportedUserID = user })
        stream.finishSending()
        var last = ExportPoint()
        while let message = try await stream.next() {
            try file.write(try message.json() + "\n")
            if case .point(let point) = message.part { last = point }
        }
        return last
    }
}
