import Protobuf
import RelationAPI
import TextFiles

/// The form of a file of friendships.
enum FriendshipFormat: String, CaseIterable {
    /// Two users a line, with blanks or tabs between them.
    case edges
    /// Cells with commas between them, below a line that names the columns.
    case csv
    /// A message FriendRow in JSON a line.
    case jsonl

    /// The form that the ending of a file's name stands for; edges if it stands for none.
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
    let file: InputFile
    let format: FriendshipFormat
    var columns: [ColumnName] = []
    var separator: CSVSeparator?
    var times: RowTimes?
    /// Whether each row makes both users friends, whatever the row says.
    var bothWays = false

    func open() throws -> any RowReader<FriendRow> {
        switch format {
        case .edges: EdgeReader(file)
        case .csv: try CSVRowReader(self)
        case .jsonl: JSONRowReader(self)
        }
    }

    /// The lines of this form, in words.
    var lineInWords: String {
        switch format {
        case .edges: "two users a line, with blanks or a tab between them"
        case .csv: "a line that names the columns, and a friendship a line"
        case .jsonl: "a FriendRow in JSON a line"
        }
    }
}

/// The words of a line with blanks and tabs between them.
enum LineWords {
    static func words(of text: Substring) -> [String] {
        text.utf8.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
            .map { String(Substring($0)) }
    }

    /// Why a word is not a user: it has a character that is not seen, and may be a separator.
    static func error(in word: String) -> String? {
        guard word.utf8.contains(where: { $0 <= 0x20 || $0 > 0x7E }) else { return nil }
        let hidden = word.unicodeScalars.first {
            JSONQuote.isHidden($0) || $0.properties.isWhitespace
        }
        guard let hidden else { return nil }
        let digits = String(hidden.value, radix: 16, uppercase: true)
        let code = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
        return "has the character U+\(code) in a user; blanks or tabs stand between users"
    }
}

/// Two users a line: each becomes the other's friend.
private final class EdgeReader: RowReader {
    private var lines: LineReader

    init(_ file: InputFile) {
        lines = LineReader(file)
    }

    func next() throws -> FileRow<FriendRow>? {
        guard let line = try lines.next() else { return nil }
        let ids = LineWords.words(of: line.text[...])
        guard ids.count == 2 else {
            let count = ids.count > 2 ? ", and has \(ids.count) words" : ""
            return .broken(line, "must be two users with blanks or a tab between them\(count)")
        }
        if let reason = LineWords.error(in: ids[0]) ?? LineWords.error(in: ids[1]) {
            return .broken(line, reason)
        }
        return .row(
            FriendRow.with {
                $0.userID = ids[0]
                $0.friendUserID = ids[1]
                $0.bothWays = true
            })
    }
}

/// A FriendRow in JSON a line, such as `--refused` writes it.
private final class JSONRowReader: RowReader {
    private var lines: LineReader
    private let times: RowTimes?
    private let bothWays: Bool

    init(_ rows: FriendshipFile) {
        lines = LineReader(rows.file)
        times = rows.times
        bothWays = rows.bothWays
    }

    func next() throws -> FileRow<FriendRow>? {
        guard let line = try lines.next() else { return nil }
        switch RefusedRow.friendRow(in: line.text) {
        case .success(var row):
            if let reason = RowTimes.apply(times, to: &row) { return .broken(line, reason) }
            if bothWays { row.bothWays = true }
            return .row(row)
        case .failure(let error):
            return .broken(line, "must be a FriendRow in JSON: \(error)")
        }
    }
}
