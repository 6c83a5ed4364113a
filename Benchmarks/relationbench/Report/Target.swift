/// A bound that was set for one figure.
struct Target<Figures>: Sendable {
    let title: String
    /// The figure when the bound was set, on another machine; nil if it was not measured.
    let before: Double?
    let bound: Double
    /// Whether the figure must be at least the bound; else at most.
    var isLeast = false
    /// Digits behind the point, at most two.
    var digits = 2
    let value: @Sendable (Figures) -> Double?

    func isReached(_ value: Double) -> Bool {
        isLeast ? value >= bound : value <= bound
    }

    /// The bound as a reader writes it.
    var boundText: String { (isLeast ? "≥ " : "≤ ") + text(bound) }

    func text(_ value: Double) -> String {
        digits == 0 ? "\(Int(value.rounded()))" : TextTable.hundredths(value)
    }

    func json(_ figures: Figures) -> JSON {
        let value = value(figures)
        return .object([
            ("title", .text(title)), ("before", before.map(JSON.number) ?? .none),
            ("bound", .text(boundText)), ("value", value.map(JSON.number) ?? .none),
            ("reached", value.map { .flag(isReached($0)) } ?? .none),
        ])
    }

    /// The bounds beside the values, as a table.
    static func lines(_ targets: [Target], _ figures: Figures) -> [String] {
        let table = TextTable([
            ("figure", 50), ("before", 8), ("to reach", 9), ("now", 8), ("reached", 7),
        ])
        return table.head
            + targets.map { target in
                let value = target.value(figures)
                return table.line([
                    target.title, target.before.map(target.text) ?? "-", target.boundText,
                    value.map(target.text) ?? "-",
                    value.map { target.isReached($0) ? "yes" : "no" } ?? "-",
                ])
            }
    }
}
