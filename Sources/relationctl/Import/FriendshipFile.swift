import Protobuf
import RelationAPI
import TextFiles

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
