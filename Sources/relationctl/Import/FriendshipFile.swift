import RelationAPI

/// The form of a file of friendships.
enum FriendshipFormat: String, CaseIterable {
    /// Two users a line, with a space between them.
    case edges
    /// Cells with commas between them, below a line that names the columns.
    case csv
    /// A message FriendRow in JSON a line.
    case jsonl

    /// The form that the ending of a file's name tells; edges if it tells none.
    init(ofFileAt path: String) {
        let ending = path.split(separator: ".").last?.lowercased()
        self =
            switch ending {
            case "csv": .csv
            case "jsonl", "ndjson": .jsonl
            default: .edges
            }
    }
}

/// A file of friendships, in any of the forms.
struct FriendshipFile: RowFile {
    let path: String
    let format: FriendshipFormat
    var columns: [ColumnName] = []
    /// Whether each row makes both users friends, whatever the row says.
    var bothWays = false

    func open() throws -> any RowReader<FriendRow> {
        switch format {
        case .edges: try EdgeReader(path)
        case .csv: try CSVRowReader(path, columns, bothWays: bothWays)
        case .jsonl: try JSONRowReader(path, bothWays: bothWays)
        }
    }

    /// The lines of this form, in words.
    var lineInWords: String {
        switch format {
        case .edges: "two users a line, with a space between them"
        case .csv: "a line that names the columns, and a friendship a line"
        case .jsonl: "a FriendRow in JSON a line"
        }
    }
}

/// Two users a line: each becomes the other's friend.
private final class EdgeReader: RowReader {
    private var lines: LineReader

    init(_ path: String) throws {
        lines = try LineReader(path)
    }

    func next() throws -> FileRow<FriendRow>? {
        guard let line = try lines.next() else { return nil }
        let ids = line.text.split(separator: " ", omittingEmptySubsequences: true)
        guard ids.count == 2 else {
            return .broken(
                BrokenLine(
                    location: line.location, reason: "must be two users with a space between them",
                    text: line.text))
        }
        return .row(
            FriendRow(userID: String(ids[0]), friendUserID: String(ids[1]), bothWays: true))
    }
}

/// A FriendRow in JSON a line, such as `--refused` writes it.
private final class JSONRowReader: RowReader {
    private var lines: LineReader
    private let bothWays: Bool

    init(_ path: String, bothWays: Bool) throws {
        lines = try LineReader(path)
        self.bothWays = bothWays
    }

    func next() throws -> FileRow<FriendRow>? {
        guard let line = try lines.next() else { return nil }
        switch RefusedRow.friendRow(in: line.text) {
        case .success(var row):
            if bothWays { row.bothWays = true }
            return .row(row)
        case .failure(let fault):
            return .broken(
                BrokenLine(
                    location: line.location, reason: "must be a FriendRow in JSON: \(fault)",
                    text: line.text))
        }
    }
}
