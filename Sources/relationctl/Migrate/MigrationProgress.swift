/// How far a migration has come, with the time that is left.
struct MigrationProgress {
    private let name: PlainText
    private let total: Int
    private let first: Int
    private let begin = ContinuousClock.now
    private var shownParts = -1

    init(_ name: PlainText, total: Int, from first: Int) {
        (self.name, self.total, self.first) = (name, total, first)
    }

    /// - Parameter calls: How many calls were made; nil where there are none.
    mutating func show(_ done: Int, calls: Int? = nil) {
        let spent = (ContinuousClock.now - begin) / Duration.seconds(1)
        let left = Int(spent / Double(max(1, done - first)) * Double(total - done))
        let asked: PlainText = calls.map { "\($0) calls, " } ?? ""
        let line: PlainText = "\(name): \(done) of \(total) users, \(asked)\(left) seconds left"
        guard !StandardError.isTerminal else { return StandardError.show(bar: line) }
        let parts = Limits.progressLines * done / max(1, total)
        guard parts != shownParts else { return }
        shownParts = parts
        StandardError.print(line)
    }
}
