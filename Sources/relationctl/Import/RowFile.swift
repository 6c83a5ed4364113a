/// Rows of an import that come from a file, in the order of its lines.
///
/// The file is read again each time. So no row is kept, and memory does not grow with the file.
protocol RowFile<Row>: Sendable {
    associatedtype Row: Sendable

    /// Begins to read the file.
    ///
    /// - Throws: ``Failure`` if the file cannot be read, or has a header that says nothing.
    func open() throws -> any RowReader<Row>
}
