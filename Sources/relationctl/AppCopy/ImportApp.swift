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
            The command names each row that is refused, by its number, field and rule, and each \
            credential that the file lacks. Rows about another user whose account the file lacks \
            are refused too. If it broke off, the same command goes on where it stood. The file \
            may be a stream: - is standard input. Of a file whose rows stand in the order of \
            exports, only the ids of the accounts are kept in memory. Otherwise the rows are \
            sorted first, in a file of 256 MiB or less.
            """)

    @OptionGroup var connection: Connection

    @Option(name: .customLong("from"), help: "The file of export.", completion: .file())
    var path: String

    @Option(help: "Names the import; if absent, the name follows from the file.")
    var importID: String?

    @Flag(help: "Check every row, and write nothing.")
    var dryRun = false

    func run() async throws {
        let file = try ExportFile(path)
        var report = RowReport("rows", total: Int(file.rows))
        let outside = try OutsideRows(file) { report.show($0) }
        report.countLeftOut(outside.count)
        let id = dryRun ? "" : importID ?? name(file, outside)
        let client = try connection.client()
        var attempts = 0
        var isDone = false
        while !isDone {
            do {
                try await send(file, outside, id, client, &report)
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

    /// A name for the import of these rows.
    ///
    /// An import that an earlier program began has sent all rows of the file, and other numbers.
    private func name(_ file: ExportFile, _ outside: OutsideRows) -> String {
        outside.count == 0 ? file.id : "\(file.id)-\(outside.count)"
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
        _ file: ExportFile, _ outside: OutsideRows, _ id: String, _ client: Client,
        _ report: inout RowReport
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
                var skipped = outside.cursor
                var (read, number): (Int64, Int64) = (0, 0)
                var requests: [ImportAppRequest] = []
                while let line = try reader.next() {
                    read += 1
                    if skipped.skips(read) { continue }
                    number += 1
                    guard number > last else { continue }
                    first.row = try ExportAppResponse(line: line.text, at: line.location)
                    requests.append(first)
                    first = ImportAppRequest()
                    guard requests.count == Limits.copiedRowsAtOnce else { continue }
                    try await stream.send(contentsOf: requests)
                    requests.removeAll(keepingCapacity: true)
                }
                guard read == file.rows else {
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
            while let answer = try await stream.next() { report.add(answer, file, outside) }
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
    fileprivate mutating func add(
        _ answer: ImportAppResponse, _ file: ExportFile, _ outside: OutsideRows
    ) {
        switch answer.answer {
        case .progress(let progress): show(progress)
        case .row(let row):
            let owner = row.userID.isEmpty ? "" : " of user \(row.userID)"
            let field = row.field.isEmpty ? "" : "\(row.field): "
            let number = outside.number(ofSent: row.rowNumber)
            let location = file.location(ofRow: number) ?? "row \(number)"
            show(
                "\(location) (\(row.kind)\(owner)): \(row.info): "
                    + "\(field)\(row.description)")
        case nil: break
        }
    }
}
