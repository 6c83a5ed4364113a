/// A bound that was set for one figure.
struct Target<Figures>: Sendable {
    let title: String
    /// The figure when the bound was set, on another machine; nil if it was not measured.
    let before: Double?
    let bound: Double
    /// Whether the figure must be at least the bound; else at most.
    let isLeast: Bool
    /// Digits behind the point: none, or two.
    let digits: Int
    let value: @Sendable (Figures) -> Double?

    init(
        _ title: String, before: Double?, bound: Double, isLeast: Bool = false, digits: Int = 2,
        _ value: @escaping @Sendable (Figures) -> Double?
    ) {
        (self.title, self.before, self.bound) = (title, before, bound)
        (self.isLeast, self.digits, self.value) = (isLeast, digits, value)
    }

    func isReached(_ value: Double) -> Bool { isLeast ? value >= bound : value <= bound }

    /// The bound as a reader writes it.
    private var boundText: String { (isLeast ? "≥ " : "≤ ") + text(bound) }

    private func text(_ value: Double) -> String { digits == 0 ? value.whole : value.hundredths }

    func json(_ figures: Figures) -> ReportObject {
        let value = value(figures)
        return [
            "title": title, "before": before, "bound": boundText, "value": value,
            "reached": value.map(isReached),
        ]
    }

    /// The bounds beside the values, as a table.
    static func lines(_ targets: [Target], _ figures: Figures) -> [String] {
        TextTable<Target>(
            ("figure", 50, \.title), ("before", 8, { $0.before.map($0.text) ?? "-" }),
            ("to reach", 9, \.boundText), ("now", 8, { $0.value(figures).map($0.text) ?? "-" }),
            ("reached", 7, { $0.value(figures).map($0.isReached).map { $0 ? "yes" : "no" } ?? "-" })
        ).lines(targets)
    }
}
