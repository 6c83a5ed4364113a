/// The rows of one import among the changes.
struct ChangeRows<Row: Sendable>: RowFile {
    let pass: SecondPass
    let rows: @Sendable (AccountChange) -> [Row]

    func open() throws -> any RowReader<Row> { Reader(self) }

    private final class Reader: RowReader {
        private let rows: @Sendable (AccountChange) -> [Row]
        private let changes: SecondPass.Changes
        private var ready: ArraySlice<Row> = []

        init(_ file: ChangeRows<Row>) {
            rows = file.rows
            changes = file.pass.changes()
        }

        func next() throws -> FileRow<Row>? {
            while ready.isEmpty {
                guard let change = try changes.next() else { return nil }
                ready = rows(change)[...]
            }
            return ready.popFirst().map { .row($0) }
        }
    }
}
