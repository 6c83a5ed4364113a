import RelationAPI

/// Friendships in comma-separated values, below a line that names their columns.
final class CSVRowReader: RowReader {
    private let records: CSVReader
    private let bothWays: Bool
    /// The field of each column; nil for one that is not read.
    private let columns: [(field: FriendColumn, name: String)?]

    /// - Parameter names: The columns to read; if there is none, each column has a field's name.
    /// - Throws: ``Failure`` if the file cannot be read, or its columns are not those.
    init(_ path: String, _ names: [ColumnName], bothWays: Bool) throws {
        records = try CSVReader(path)
        self.bothWays = bothWays
        let header: [String]
        switch try records.next() {
        case .cells(let cells): header = cells
        case .broken(let line): throw Failure("\(path) is no list of friendships: \(line)")
        case nil: throw Failure("\(path) is no list of friendships: it has no line of columns")
        }
        let head = CSVHeader(location: records.location, path: path, cells: header)
        columns = try head.columns(names)
    }

    func next() throws -> FileRow<FriendRow>? {
        guard let record = try records.next() else { return nil }
        switch record {
        case .broken(let line): return .broken(line)
        case .cells(let cells):
            var row = FriendRow()
            if let reason = fill(&row, from: cells) {
                return .broken(
                    BrokenLine(
                        location: records.location, reason: reason,
                        text: cells.joined(separator: ",")))
            }
            if bothWays { row.bothWays = true }
            return .row(row)
        }
    }

    /// Fills the fields, and returns why the cells are no row.
    private func fill(_ row: inout FriendRow, from cells: [String]) -> String? {
        guard cells.count == columns.count else {
            return "has \(cells.count) cells, and the first line has \(columns.count)"
        }
        for (cell, column) in zip(cells, columns) {
            guard let column else { continue }
            if let form = column.field.put(cell, into: &row) {
                return "\(column.name) must be \(form): it is \(PlainTable.plain(cell))"
            }
        }
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
            throw refusal("has two columns \(PlainTable.plain(cell))")
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
                    "FriendRow has no field \(PlainTable.plain(cell)): "
                        + "\(FriendColumn.offer(for: cell)) --columns names the columns to read")
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
                NearNames.question(for: wanted, among: cells).map { PlainTable.plain($0) }
                ?? "the columns are \(PlainTable.plain(cells.joined(separator: ", ")))"
            throw refusal("no column \(PlainTable.plain(name.column)): \(offer)")
        }
        return cells.map { cell in
            names.first { $0.column == cell }.map { ($0.field, cell) }
        }
    }

    private func refusal(_ reason: String) -> Failure {
        Failure("\(path) is no list of friendships: \(location): \(reason)")
    }
}
