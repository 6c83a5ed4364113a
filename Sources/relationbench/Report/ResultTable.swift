/// The figures as lines of a table, readable as they are and as Markdown.
enum ResultTable {
    private static let columns = [
        ("call", 28), ("in flight", 9), ("calls/s", 8), ("CPU µs/call", 11), ("p50 µs", 7),
        ("p99 µs", 7), ("RSS MiB", 7), ("instructions", 12),
    ]

    static var head: [String] {
        let names = columns.enumerated().map { pad($1.0, $1.1, left: $0 == 0) }
        let rules = columns.enumerated().map { place, column in
            place == 0
                ? String(repeating: "-", count: column.1)
                : String(repeating: "-", count: column.1 - 1) + ":"
        }
        return [row(names), row(rules)]
    }

    static func line(_ scenario: Scenario, _ figures: Figures) -> String {
        let load =
            scenario.inFlight == 1 ? "1" : "\(scenario.connections) × \(scenario.streams)"
        let values = [
            scenario.title, load, "\(Int(figures.callsPerSecond.rounded()))",
            hundredths(figures.cpuMicroseconds), "\(figures.p50.microseconds)",
            "\(figures.p99.microseconds)", "\(figures.residentBytes >> 20)",
            figures.instructions.map { "\($0)" } ?? "",
        ]
        return row(
            zip(values, columns).enumerated().map { pad($1.0, $1.1.1, left: $0 == 0) })
    }

    private static func row(_ cells: [String]) -> String {
        "| " + cells.joined(separator: " | ") + " |"
    }

    private static func pad(_ text: String, _ width: Int, left: Bool) -> String {
        let space = String(repeating: " ", count: max(0, width - text.count))
        return left ? text + space : space + text
    }

    private static func hundredths(_ value: Double) -> String {
        let whole = Int((value * 100).rounded())
        return "\(whole / 100).\(whole / 10 % 10)\(whole % 10)"
    }
}
