import RelationAPI
import TextFiles

/// Friendships in comma-separated values, below a line that names their columns.
final class CSVRowReader: RowReader {
    private let records: CSVReader
    private let times: RowTimes?
    private let bothWays: Bool
    /// The field of each column; nil for one that is not read.
    private let columns: [(field: FriendColumn, name: String)?]

    /// - Parameter rows: Names the columns to read; if it names none, each column has a field's
    ///   name.
    /// - Throws: ``Failure`` if the file cannot be read, or its columns are not those.
    init(_ rows: FriendshipFile) throws {
        let name = rows.file.name
        records = CSVReader(rows.file, rows.separator)
        (times, bothWays) = (rows.times, rows.bothWays)
        switch try records.next() {
        case .cells(let cells, let location):
            let header = CSVHeader(location: location, path: name, cells: cells)
            columns = try header.columns(rows.columns)
        case .broken(let line): throw Failure("\(name) is not a list of friendships: \(line)")
        case nil: throw Failure("\(name) is not a list of friendships: it has no line of columns")
        }
    }

    func next() throws -> FileRow<FriendRow>? {
        guard let record = try records.next() else { return nil }
        switch record {
        case .broken(let line): return .broken(line)
        case .cells(let cells, let location):
            var row = FriendRow()
            if let reason = fill(&row, from: cells) {
                return .broken(
                    BrokenLine(
                        location: location, reason: reason,
                        text: cells.joined(separator: ",")))
            }
            if bothWays { row.bothWays = true }
            return .row(row)
        }
    }

    /// Fills the fields, and returns why the cells are not a row.
    private func fill(_ row: inout FriendRow, from cells: [String]) -> String? {
        guard cells.count == columns.count else {
            return "has \(cells.count) cells, and the first line has \(columns.count)"
        }
        for (cell, column) in zip(cells, columns) {
            guard let column else { continue }
            if let form = column.field.set(cell, into: &row) {
                return "\(column.name) must be \(form): it is \(cell)"
            }
        }
        if let reason = RowTimes.apply(times, to: &row) { return reason }
        guard !row.userID.isEmpty else { return "has no user_id" }
        guard !row.friendUserID.isEmpty else { return "has no friend_user_id" }
        return nil
    }
}

/// The first line of a file of comma-separated values.
private struct CSVHeader {
    let location: String
    let path: String
    let cells: [String]

    /// The fields that the columns fill.
    func columns(
        _ names: [ColumnName]
    ) throws -> [(field: FriendColumn, name: String)?] {
        guard cells.count <= Limits.columns else {
            throw refusal("has \(cells.count) columns, and may have \(Limits.columns)")
        }
        for (index, cell) in cells.enumerated() where cells[..<index].contains(cell) {
            throw refusal("has two columns \(Self.shown(cell))")
        }
        let columns = try names.isEmpty ? ownColumns() : namedColumns(names)
        for (field, name) in [
            (FriendColumn.userID, "user_id"), (.friendUserID, "friend_user_id"),
        ] where !columns.contains(where: { $0?.field == field }) {
            throw refusal("has no column \(name): name one with --columns \(name)=COLUMN")
        }
        return columns
    }

    /// Columns with the names of fields.
    private func ownColumns() throws -> [(field: FriendColumn, name: String)?] {
        try cells.map { cell in
            guard let field = FriendColumn(name: cell) else {
                throw refusal(
                    "FriendRow has no field \(Self.shown(cell)): "
                        + "\(FriendColumn.offer(for: cell)) --columns names the columns to read"
                        + "\(hint)")
            }
            return (field, cell)
        }
    }

    private func namedColumns(
        _ names: [ColumnName]
    ) throws -> [(field: FriendColumn, name: String)?] {
        for name in names where !cells.contains(name.column) {
            let wanted = NearNames.plain(name.column)
            let offer =
                NearNames.question(for: wanted, among: cells)
                ?? "the columns are \(cells.map(Self.shown).joined(separator: ", "))"
            throw refusal("no column \(name.column): \(offer)\(hint)")
        }
        return cells.map { cell in
            names.first { $0.column == cell }.map { ($0.field, cell) }
        }
    }

    /// The beginning of a cell: that of a file in another form may be as long as the file.
    private static func shown(_ cell: String) -> String {
        guard cell.count > Limits.cellCharacters else { return cell }
        return "\(cell.prefix(Limits.cellCharacters))…"
    }

    /// Words for a file whose cells stand apart by a character that was not found.
    private var hint: PlainText {
        cells.count == 1 ? "; --separator names another character between cells" : ""
    }

    private func refusal(_ reason: PlainText) -> Failure {
        Failure("\(path) is not a list of friendships: \(location): \(reason)")
    }
}
