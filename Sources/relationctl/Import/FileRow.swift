/// A row of a file, or a line that is none.
enum FileRow<Row> {
    case row(Row)
    case broken(BrokenLine)

    /// A line that is not a row for this reason.
    static func broken(_ line: LineReader.Line, _ reason: String) -> FileRow {
        .broken(BrokenLine(location: line.location, reason: reason, text: line.text))
    }
}
