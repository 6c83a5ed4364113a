import Protobuf
import RelationAPI
import RelationModel

/// The progress of an import: a bar on a terminal, plain lines elsewhere, and the refused rows.
struct RowReport {
    private static let barWidth = 40

    private let name: String
    private let total: Int
    private var progress = ImportProgress()

    init(_ name: String, total: Int) {
        self.name = name
        self.total = total
    }

    /// Takes the result of a row.
    ///
    /// A refusal is shown; any other result is not worth a line.
    mutating func add(_ row: ImportRowResult) {
        // A server sets every code; one that it did not set would say nothing of the row.
        guard let code = row.code, code != .success else { return }
        clearBar()
        let name = code.name ?? "unknown"
        StandardError.print(
            "\(self.name): row \(row.rowNumber) (user \(row.userID)): "
                + "\(code.rawValue) \(name) \(row.info)")
    }

    /// Shows a line of its own.
    func tell(_ line: String) {
        clearBar()
        StandardError.print(line)
    }

    /// The rows that were refused so far.
    var refused: Int64 { progress.refused }

    mutating func show(_ progress: ImportProgress) {
        self.progress = progress
        let done = Int(progress.lastDurableRow)
        guard StandardError.isTerminal else {
            return StandardError.print("\(name): \(done) of \(total)")
        }
        let filled = total == 0 ? Self.barWidth : Self.barWidth * done / total
        let bar =
            String(repeating: "█", count: filled)
            + String(repeating: "░", count: Self.barWidth - filled)
        StandardError.print("\r\u{1B}[K\(name) \(bar) \(done)/\(total)", terminator: "")
    }

    func finish() throws {
        clearBar()
        _ = try StandardOutput.print(
            "\(name): \(progress.accepted) accepted, \(progress.refused) refused")
    }

    private func clearBar() {
        if StandardError.isTerminal { StandardError.print("\r\u{1B}[K", terminator: "") }
    }
}
