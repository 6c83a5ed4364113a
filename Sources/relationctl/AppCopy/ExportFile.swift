import Migrations
import Protobuf
import RelationAPI
import TextFiles

/// A file of export that was looked at: its rows are counted, and the last one ends the export.
///
/// The server takes rows in the order of exports. A file whose rows stand otherwise, as a person or
/// a program of another system writes them, is put in order here.
struct ExportFile {
    let input: InputFile
    let rows: Int64
    /// A name for the import of this file.
    let id: String
    /// The first line that stands before one that comes earlier in the order; nil if none does.
    private let firstMisplaced: String?
    /// The lines in order; empty if the file is read as it stands.
    private(set) var ordered: [OrderedLine] = []
    /// The users whose accounts the file has.
    private(set) var accounts = KnownUsers()

    struct OrderedLine {
        let text: String
        let location: String
    }

    /// - Throws: ``Failure`` if the file cannot be read, is not a complete export, or is out of
    ///   order and too long to be sorted.
    init(_ path: String) throws {
        input = try InputFile.opened(path)
        var reader = LineReader(input)
        var count: Int64 = 0
        var bytes: Int64 = 0
        var first = ""
        var last = ""
        var position: ExportPosition?
        var misplaced: String?
        while let line = try reader.next() {
            if count == 0 { first = line.text }
            last = line.text
            count += 1
            bytes += Int64(line.text.utf8.count)
            guard misplaced == nil else { continue }
            let row = try ExportAppResponse(line: line.text, at: line.location)
            if case .point(let point) = row.row, count > 1, !point.complete { continue }
            let next = ExportPosition(row, isLast: count > 1)
            if let position, next < position { misplaced = line.location }
            position = next
            if misplaced == nil, case .account(let account) = row.row {
                accounts.add(account.userID)
            }
        }
        guard case .point = ExportAppResponse(line: first)?.row,
            case .point(let end) = ExportAppResponse(line: last)?.row, end.complete
        else {
            throw Failure("\(input.name): is not a complete file of export; nothing is imported")
        }
        rows = count
        firstMisplaced = misplaced
        // The first point has a token that no other export has.
        let hash = first.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3
        }
        id = "file-" + String(hash, radix: 16)
        guard let firstMisplaced else { return }
        guard bytes <= Limits.sortedExportBytes else {
            throw Failure(
                "\(firstMisplaced): stands out of the order of exports, and the file has more than"
                    + " \(Limits.sortedExportBytes) bytes, so it is not sorted here;"
                    + " nothing is imported: \(ExportPosition.words)")
        }
        (ordered, accounts) = try Self.sorted(input)
        StandardError.print(
            "import: \(firstMisplaced) stands out of the order of exports: the rows are sorted")
    }

    /// The lines of the file in the order of exports, and its accounts; lines of the same position
    /// stay as they stand.
    ///
    /// A point between the rows belongs to the row above it: it may be the mark of a user.
    private static func sorted(_ input: InputFile) throws -> ([OrderedLine], KnownUsers) {
        var reader = LineReader(input)
        var lines: [(position: ExportPosition, line: OrderedLine)] = []
        var users: [String] = []
        while let line = try reader.next() {
            let row = try ExportAppResponse(line: line.text, at: line.location)
            var position = ExportPosition(row, isLast: !lines.isEmpty)
            if case .point(let point) = row.row, !point.complete, let above = lines.last {
                position = above.position
            }
            if case .account(let account) = row.row { users.append(account.userID) }
            lines.append((position, OrderedLine(text: line.text, location: line.location)))
        }
        // The index makes the order of equal positions that of the file.
        let ordered = lines.indices.sorted { one, other in
            if lines[one].position < lines[other].position { return true }
            return one < other && !(lines[other].position < lines[one].position)
        }.map { lines[$0].line }
        return (ordered, KnownUsers(sorted: users.sorted(by: MigratedUser.precedes)))
    }

    /// The line of the row `number`, for the report; nil if the rows are sent as they stand.
    func location(ofRow number: Int64) -> String? {
        guard number > 0, number <= Int64(ordered.count) else { return nil }
        return ordered[Int(number) - 1].location
    }
}

/// Reads the lines of a file of export in the order in which they are sent.
struct ExportLines: ~Copyable {
    private var reader: LineReader
    private let ordered: [ExportFile.OrderedLine]
    private var index = 0

    init(_ file: ExportFile) {
        reader = LineReader(file.input)
        ordered = file.ordered
    }

    /// The next line; nil at the end.
    mutating func next() throws -> ExportFile.OrderedLine? {
        guard ordered.isEmpty else {
            guard index < ordered.count else { return nil }
            defer { index += 1 }
            return ordered[index]
        }
        return try reader.next().map {
            ExportFile.OrderedLine(text: $0.text, location: $0.location)
        }
    }
}
