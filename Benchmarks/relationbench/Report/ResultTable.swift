/// The figures of calls as lines of a table, readable as plain text and as Markdown.
enum ResultTable {
    private static let table = TextTable([
        ("call", 29), ("in flight", 9), ("calls/s", 8), ("CPU µs/call", 11), ("p50 µs", 7),
        ("p99 µs", 7), ("RSS MiB", 7), ("instructions", 12),
    ])

    static var head: [String] { table.head }

    static func line(_ scenario: Scenario, _ figures: Figures) -> String {
        let load =
            scenario.inFlight == 1 ? "1" : "\(scenario.connections) × \(scenario.streams)"
        return table.line([
            scenario.title, load, "\(Int(figures.callsPerSecond.rounded()))",
            TextTable.hundredths(figures.cpuMicroseconds), "\(figures.p50.microseconds)",
            "\(figures.p99.microseconds)", "\(figures.residentBytes >> 20)",
            figures.instructions.map { "\($0)" } ?? "",
        ])
    }
}
