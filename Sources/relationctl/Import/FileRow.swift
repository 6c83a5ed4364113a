/// A row of a file, or a line that is none.
enum FileRow<Row> {
    case row(Row)
    case broken(BrokenLine)

    /// A line that is not a row for this reason.
    static func broken(_ line: LineReader.Line, _ reason: String) -> FileRow {
        .broken(BrokenLine(location: line.location, reason: reason, text: line.text))
    }
}

/// A line that is not a row.
struct BrokenLine: CustomStringConvertible {
    /// The file's path and the number of the line.
    let location: String
    let reason: String
    /// The line as it stands; empty if it is not text.
    let text: String

    var description: String { "\(location): \(reason)" }
}

/// Reads the rows of a file one after another, and keeps only what the next one needs.
protocol RowReader<Row>: AnyObject {
    associatedtype Row: Sendable

    /// The next row, or a line that is none; nil at the end of the file.
    ///
    /// - Throws: ``Failure`` if the file cannot be read.
    func next() throws -> FileRow<Row>?
}

/// Rows of an import that come from a file, in the order of its lines.
///
/// The file is read anew each time. So no row is kept, and memory does not grow with the file.
protocol RowFile<Row>: Sendable {
    associatedtype Row: Sendable

    /// Begins to read the file.
    ///
    /// - Throws: ``Failure`` if the file cannot be read, or has a head that says nothing.
    func open() throws -> any RowReader<Row>
}
