import ArgumentParser
import Glibc
import Protobuf
import RelationAPI
import RelationClient
import RelationModel

struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write everything that an app has into a file, for import-app to read back.",
        discussion: """
            The file has one message of ExportApp a line, in JSON. It appears under its name when \
            it is complete; only its owner may read it. If the connection breaks, the export goes \
            on where it stood.
            """)

    @OptionGroup var connection: Connection

    @Option(name: .customLong("to"), help: "The file to write.", completion: .file())
    var path: String

    @Flag(help: "With the digests of API keys and the secrets of signatures; for operators.")
    var includeSecrets = false

    func validate() throws {
        try NamedFiles.mustDiffer(
            reading: connection.security.files, writing: NamedFiles.growing("--to", path))
    }

    func run() async throws {
        let client = try connection.client()
        let partial = path + ".part"
        var file = try LineWriter(partial)
        var attempts = 0
        var point = ExportPoint()
        while !point.complete {
            do {
                try await read(client, &file, &point)
            } catch let error as CallError {
                attempts += 1
                guard attempts < Limits.copyAttempts, !point.resumeToken.isEmpty,
                    error.mayPass
                else {
                    await client.close()
                    throw Failure(error)
                }
                StandardError.print("export: goes on after row \(point.rows): \(error.description)")
                try await Task.sleep(for: .seconds(1))
            }
        }
        await client.close()
        try file.close()
        guard rename(partial, path) == 0 else {
            throw Failure("\(path): \(String(cString: strerror(errno)))")
        }
        _ = try StandardOutput.print("export: \(point.rows) rows")
    }

    /// Reads one stream, and writes the rows up to each of its points.
    private func read(
        _ client: Client, _ file: inout LineWriter, _ point: inout ExportPoint
    ) async throws {
        let stream = client.stream(MaintenanceMethods.exportApp)
        try await stream.send(
            ExportAppRequest.with {
                $0.resumeToken = point.resumeToken
                $0.includeSecrets = includeSecrets
            })
        stream.finishSending()
        // Rows after the last point come again in the next stream, so they wait for their point.
        var lines = ""
        while let message = try await stream.next() {
            lines += try message.json() + "\n"
            guard case .point(let reached) = message.row else { continue }
            try file.write(lines)
            lines = ""
            point = reached
            StandardError.print("export: \(point.rows) rows")
        }
    }
}

extension ExportAppResponse {
    /// The message that `line` has in JSON; nil if it has none.
    init?(line: String) {
        do throws(MessageError) {
            self = try ExportAppResponse(json: line)
        } catch {
            return nil
        }
    }

    /// The message that a line of a file has in JSON.
    ///
    /// - Throws: ``Failure`` that names the line, and the field and the rule as the decoder tells
    ///   them.
    init(line: String, at location: String) throws {
        do throws(MessageError) {
            self = try ExportAppResponse(json: line)
        } catch {
            throw Failure("\(location): is not a message of ExportApp: \(error.description)")
        }
    }
}
