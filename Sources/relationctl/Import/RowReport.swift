import Protobuf
import RelationAPI
import RelationModel

/// The progress of an import, as a bar on a terminal and as a few lines elsewhere, with the refused
/// rows.
struct RowReport {
    private static let barWidth = 40

    private let name: String
    private var total: Int
    /// Whether each refused row has a line.
    private let isVerbose: Bool
    private var progress = ImportProgress()
    /// How many parts of the import the last plain line has shown; nil before the first line.
    private var shownParts: Int?
    /// When the first progress was shown, and how many rows were done then; nil if the time that is
    /// left is not shown.
    private var begin: (time: ContinuousClock.Instant, rows: Int)?
    private let showsTime: Bool
    /// The rows that were refused here, and are not sent.
    private var leftOut: Int64 = 0
    private(set) var refusals = RefusalCount()

    /// - Parameter showsTime: Whether each progress says how many seconds are left.
    init(_ name: String, total: Int, isVerbose: Bool = true, showsTime: Bool = false) {
        self.showsTime = showsTime
        self.name = name
        self.total = total
        self.isVerbose = isVerbose
    }

    /// Takes the result of a row.
    ///
    /// - Returns: Whether the row was refused; any other result is not worth a line.
    mutating func add(_ row: some RefusedResult) -> Bool {
        // A server sets every code; one that it did not set would say nothing of the row.
        guard let code = row.codeNumber, code != 0 else { return false }
        refusals.add(code)
        if isVerbose {
            let codeName = row.codeName ?? "unknown"
            StandardError.print(
                "\(name): row \(row.rowNumber) (user \(row.userID)): "
                    + "\(code) \(codeName) \(row.info)")
        }
        return true
    }

    /// Shows a line of its own.
    func show(_ line: PlainText) {
        StandardError.print(line)
    }

    /// Counts rows as refused that are not sent.
    mutating func countLeftOut(_ count: Int64) {
        leftOut += count
        total -= Int(count)
    }

    /// The rows that were refused so far, also by the same import before it broke.
    var refused: Int64 { progress.refused + leftOut }

    /// The rows that were accepted, likewise.
    var accepted: Int64 { progress.accepted }

    mutating func show(_ progress: ImportProgress) {
        self.progress = progress
        let done = Int(progress.lastDurableRow)
        guard StandardError.isTerminal else {
            let parts = total == 0 ? 0 : Limits.progressLines * done / total
            guard parts != shownParts else { return }
            shownParts = parts
            return StandardError.print("\(name): \(done) of \(total)\(timeLeft(done))")
        }
        let filled = total == 0 ? Self.barWidth : Self.barWidth * min(done, total) / total
        let bar =
            String(repeating: "█", count: filled)
            + String(repeating: "░", count: Self.barWidth - filled)
        StandardError.show(bar: "\(name) \(bar) \(done)/\(total)\(timeLeft(done))")
    }

    /// The time that is left, in words.
    private mutating func timeLeft(_ done: Int) -> PlainText {
        guard showsTime else { return "" }
        let begin = begin ?? (ContinuousClock.now, done)
        self.begin = begin
        let spent = (ContinuousClock.now - begin.time) / Duration.seconds(1)
        let left = Int(spent / Double(max(1, done - begin.rows)) * Double(max(0, total - done)))
        return ", \(left) seconds left"
    }

    func finish() throws {
        _ = try StandardOutput.print(
            "\(name): \(progress.accepted) accepted, \(refused) refused")
    }

    /// Says in one line why rows were refused, and how to see each.
    func explain(_ hint: PlainText) {
        guard progress.refused > 0 else { return }
        let reasons = refusals.isEmpty ? "before the import went on" : refusals.text
        let end: PlainText = isVerbose ? "" : "; \(hint)"
        StandardError.print(
            "\(name): \(progress.refused) of \(progress.received) rows were refused: "
                + "\(reasons)\(end)")
    }
}
