import ArgumentParser
import Glibc
import Protobuf
import RelationAPI
import RelationModel
import TextFiles

struct ApplyChanges: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apply-changes",
        abstract: "Bring a file of export to a later moment by a file of export-changes.",
        discussion: """
            It reads both files, and writes an export for import-app. It calls no server. Friends, \
            groups, blacklists, follows, waiting applications and fields of profiles become what \
            they were at the end of the changes; all else stays as the export has it. The changes \
            must be of the same app, whole, and begin at the moment of the export or before it.

            relationctl apply-changes monday.jsonl changes.jsonl --to tuesday.jsonl
            """)

    @Argument(help: "The file of export.")
    var export: String

    @Argument(help: "The file of changes.")
    var changes: String

    @Option(name: .customLong("to"), help: "The file to write.")
    var path: String

    func validate() throws {
        try NamedFiles.mustDiffer(
            reading: [
                NamedFile("the file of export", export), NamedFile("the file of changes", changes),
            ],
            writing: NamedFiles.growing("--to", path))
    }

    func run() throws {
        let file = try ExportFile(export)
        let beginning = try ExportBeginning(file)
        var net = try NetChanges(changes, since: beginning)
        for field in beginning.customFields { net.texts.add(field) }
        let partial = path + ".part"
        let output = try LineWriter(partial)
        let rows = try Self.write(file, net, to: output)
        try output.close()
        guard rename(partial, path) == 0 else {
            throw Failure("\(path): \(String(cString: strerror(errno)))")
        }
        _ = try StandardOutput.print("apply-changes: \(rows) rows")
    }

    /// Writes the rows user by user.
    ///
    /// - Returns: How many rows there are.
    private static func write(
        _ file: ExportFile, _ net: NetChanges, to output: LineWriter
    ) throws -> Int64 {
        var lines = ExportLines(file)
        var count: Int64 = 0
        var user: String?
        var rows: [ExportAppResponse] = []
        var changed = net.names[...]
        func write(_ rows: [ExportAppResponse]) throws {
            for row in rows { try output.write(try row.json() + "\n") }
            count += Int64(rows.count)
        }
        /// Ends the rows of the user, and writes those of new users up to `next`.
        func end(before next: String?) throws {
            if let user {
                try write(try net.applied(to: rows, of: user))
                if changed.first == user { changed.removeFirst() }
            }
            rows = []
            while let name = changed.first,
                next.map({ name.utf8.lexicographicallyPrecedes($0.utf8) }) ?? true
            {
                changed.removeFirst()
                try write(try net.applied(to: [], of: name))
            }
        }
        var isFirst = true
        var last = ExportPoint()
        while let line = try lines.next() {
            let row = try ExportAppResponse(line: line.text, at: line.location)
            if case .point(let point) = row.row {
                // The points between stand for rows of a stream, which are others now.
                last = point
                last.timeMs = net.head.untilTimeMs
                if isFirst { try output.write(try ExportAppResponse(.point(last)).json() + "\n") }
                isFirst = false
                continue
            }
            guard let owner = ExportPosition(row, isLast: false).owner else {
                try write([row])
                continue
            }
            if owner != user {
                try end(before: owner)
                user = owner
            }
            rows.append(row)
        }
        try end(before: nil)
        last.rows = count
        try output.write(try ExportAppResponse(.point(last)).json() + "\n")
        return count
    }
}
