import ArgumentParser
import Protobuf
import RelationAPI
import RelationClient
import RelationModel
import TextFiles

struct ImportApp: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import-app",
        abstract: "Read a file of export back into an empty app.",
        discussion: """
            The command names each row that the server refuses, by its number, field and rule, and \
            each credential that the file lacks. If it broke off, the same command goes on where \
            it stood. The file may be a stream: - is standard input. It is not kept in memory if \
            its rows stand in the order of exports; otherwise they are sorted first, in a file of \
            256 MiB or less.
            """)

    @OptionGroup var connection: Connection

    @Option(name: .customLong("from"), help: "The file of export.")
    var path: String

    @Option(help: "Names the import; if absent, the name follows from the file.")
    var importID: String?

    @Flag(help: "Check every row, and write nothing.")
    var dryRun = false

    func run() async throws {
        let file = try ExportFile(path)
        let id = dryRun ? "" : importID ?? file.id
        var report = RowReport("rows", total: Int(file.rows))
        let client = try connection.client()
        var attempts = 0
        var isDone = false
        while !isDone {
            do {
                try await send(file, id, client, &report)
                isDone = true
            } catch let error as CallError {
                attempts += 1
                guard attempts < Limits.copyAttempts, !dryRun, error.mayPass else {
                    await client.close()
                    throw Failure(error)
                }
                report.show("import: goes on: \(error.description)")
                try await Task.sleep(for: .seconds(1))
            }
        }
        await client.close()
        try report.finish()
        if report.refused > 0 { throw ExitCode(ExitStatus.itemsRefused.rawValue) }
    }

    /// The row up to which the import has come.
    private func lastRow(_ id: String, _ client: Client) async throws -> Int64 {
        guard !id.isEmpty else { return 0 }
        let stream = client.stream(MaintenanceMethods.importApp)
        try await stream.send(ImportAppRequest.with { $0.importID = id })
        stream.finishSending()
        var last: Int64 = 0
        while let answer = try await stream.next() {
            if case .progress(let progress) = answer.answer { last = progress.lastDurableRow }
        }
        return last
    }

    /// Sends the rows that are missing, and reads the answers at the same time.
    private func send(
        _ file: ExportFile, _ id: String, _ client: Client, _ report: inout RowReport
    ) async throws {
        let last = try await lastRow(id, client)
        let stream = client.stream(MaintenanceMethods.importApp)
        let options = dryRun ? WriteOptions.with { $0.dryRun = true } : nil
        let sender = Task {
            do {
                var first = ImportAppRequest.with {
                    $0.options = options
                    $0.importID = id
                    $0.firstRow = last + 1
                }
                var reader = ExportLines(file)
                var number: Int64 = 0
                var requests: [ImportAppRequest] = []
                while let line = try reader.next() {
                    number += 1
                    guard number > last else { continue }
                    first.row = try ExportAppResponse(line: line.text, at: line.location)
                    requests.append(first)
                    first = ImportAppRequest()
                    guard requests.count == Limits.copiedRowsAtOnce else { continue }
                    try await stream.send(contentsOf: requests)
                    requests.removeAll(keepingCapacity: true)
                }
                guard number == file.rows else {
                    throw Failure("\(file.input.name) has changed meanwhile")
                }
                try await stream.send(contentsOf: requests)
                stream.finishSending()
            } catch {
                // The answers end too.
                stream.cancel()
                throw error
            }
        }
        do {
            while let answer = try await stream.next() { report.add(answer, file) }
        } catch {
            sender.cancel()
            // A file that can no longer be read ends the call too, and is the reason then.
            if case .failure(let failure as Failure) = await sender.result { throw failure }
            throw error
        }
        try await sender.value
    }
}

extension RowReport {
    fileprivate mutating func add(_ answer: ImportAppResponse, _ file: ExportFile) {
        switch answer.answer {
        case .progress(let progress): show(progress)
        case .row(let row):
            let owner = row.userID.isEmpty ? "" : " of user \(row.userID)"
            let field = row.field.isEmpty ? "" : "\(row.field): "
            let place = file.location(ofRow: row.rowNumber) ?? "row \(row.rowNumber)"
            show(
                "\(place) (\(row.kind)\(owner)): \(row.info): "
                    + "\(field)\(row.description)")
        case nil: break
        }
    }
}
