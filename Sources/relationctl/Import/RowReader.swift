/// Reads the rows of a file one after another, and keeps only what the next one needs.
protocol RowReader<Row>: AnyObject {
    associatedtype Row: Sendable

    /// The next row, or a line that is none; nil at the end of the file.
    ///
    /// - Throws: ``Failure`` if the file cannot be read.
    func next() throws -> FileRow<Row>?
}
