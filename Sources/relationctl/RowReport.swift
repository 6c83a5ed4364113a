import Protobuf
import RelationAPI
import RelationModel

/// How far an import is: a bar on a terminal, plain lines elsewhere, and the rows with a refusal.
struct RowReport {
    private static let barWidth = 40

    private let name: String
    private let total: Int
    private var progress = ImportProgress()

    init(_ name: String, total: Int) {
        self.name = name
        self.total = total
    }

    /// A row that has something to tell: a refusal is shown, the rest is not worth a line.
    mutating func add(_ row: ImportRowResult) {
        guard row.code != .success else { return }
        clearBar()
        let name = row.code.name ?? "unknown"
        StandardError.print(
            "\(self.name): row \(row.row) (user \(row.userID)): "
                + "\(row.code.rawValue) \(name) \(row.info)")
    }

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

    func finish() {
        clearBar()
        print("\(name): \(progress.written) written, \(progress.refused) refused")
    }

    private func clearBar() {
        if StandardError.isTerminal { StandardError.print("\r\u{1B}[K", terminator: "") }
    }
}
