import ArgumentParser
import Glibc
import Migrations
import Protobuf
import RelationAPI
import TextFiles

struct ApplyChanges: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apply-changes",
        abstract: "Bring a file of export to a later moment by a file of export-changes.",
        discussion: """
            It reads both files, and writes an export for import-app. It calls no server. Friends, \
            groups, blacklists, follows, waiting applications and fields of profiles become what \
            they were at the end of the changes; all else stays as the export has it. The changes \
            must be of the same app, whole, and begin at the moment of the export or before it. \
            Rows that import-app would refuse, because they were written under other settings or \
            custom fields than the export has, are named, and no file is written. Marks of \
            migrate, which say what of a user was not read, stay with their users.

            relationctl apply-changes monday.jsonl changes.jsonl --to tuesday.jsonl
            """)

    @Argument(help: "The file of export.", completion: .file())
    var export: String

    @Argument(help: "The file of changes.", completion: .file())
    var changes: String

    @Option(name: .customLong("to"), help: "The file to write.", completion: .file())
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
        do {
            let rules = RowRules(beginning)
            let (rows, refused) = try Self.write(file, net, rules, to: output)
            try output.close()
            guard refused == 0 else {
                StandardError.print(
                    """
                    apply-changes: an import would refuse \(refused) rows, so no file is written; \
                    make a new export, or give the app of \(export) these settings and fields
                    """)
                throw ExitCode(ExitStatus.itemsRefused.rawValue)
            }
            guard rename(partial, path) == 0 else {
                throw Failure("\(path): \(String(cString: strerror(errno)))")
            }
            _ = try StandardOutput.print("apply-changes: \(rows) rows")
        } catch {
            unlink(partial)
            throw error
        }
    }

    /// Writes the rows user by user, and names those that break a rule.
    ///
    /// - Returns: How many rows there are, and how many of them break a rule.
    private static func write(
        _ file: ExportFile, _ net: NetChanges, _ rules: RowRules, to output: LineWriter
    ) throws -> (rows: Int64, refused: Int64) {
        var lines = ExportLines(file)
        var count: Int64 = 0
        var refused: Int64 = 0
        var user: String?
        var rows: [ExportAppResponse] = []
        // A pass over another system left a mark of each list of the user that it could not read.
        var marks: [ExportAppResponse] = []
        var changed = net.names[...]
        func write(_ rows: [ExportAppResponse]) throws {
            for row in rows { try output.write(try row.json() + "\n") }
            count += Int64(rows.count)
        }
        func writeChanged(_ user: String, _ old: [ExportAppResponse]) throws {
            let new = try net.applied(to: old, of: user)
            refused += rules.named(Set(new).subtracting(old))
            try write(new)
        }
        /// Ends the rows of the user, and writes those of new users up to `next`.
        func end(before next: String?) throws {
            if let user, changed.first == user {
                changed.removeFirst()
                try writeChanged(user, rows)
            } else {
                try write(rows)
            }
            for mark in marks { try output.write(try mark.json() + "\n") }
            (rows, marks) = ([], [])
            while let name = changed.first,
                next.map({ name.utf8.lexicographicallyPrecedes($0.utf8) }) ?? true
            {
                changed.removeFirst()
                try writeChanged(name, [])
            }
        }
        var isFirst = true
        var last = ExportPoint()
        while let line = try lines.next() {
            let row = try ExportAppResponse(line: line.text, at: line.location)
            if case .point(let point) = row.row {
                if user != nil, !point.complete, UnreadKinds(token: point.resumeToken) != nil {
                    marks.append(row)
                    continue
                }
                // The points between stand for rows of a stream, which are others now.
                last = point
                last.timeMs = net.header.untilTimeMs
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
        return (count, refused)
    }
}
