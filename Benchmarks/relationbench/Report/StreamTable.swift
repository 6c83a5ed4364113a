/// The figures of streams as lines of a table, readable as plain text and as Markdown.
enum StreamTable {
    private static let table = TextTable([
        ("events of", 30), ("in flight", 9), ("streams", 7), ("KiB/stream", 10), ("events", 7),
        ("CPU µs/event", 12), ("±", 8), ("of a write", 10), ("p50 µs", 7), ("p99 µs", 7),
        ("last µs", 7), ("instructions/event", 18),
    ])

    static var head: [String] { table.head }

    static func line(_ scenario: StreamScenario, _ figures: StreamFigures) -> String {
        let inFlight = scenario.connections * scenario.streams
        let time = figures.eventMicroseconds
        let memory = Double(figures.streamBytes) / 1_024 / Double(max(1, figures.streams))
        return table.line([
            scenario.title,
            inFlight == 1 ? "1" : "\(scenario.connections) × \(scenario.streams)",
            "\(figures.streams)", TextTable.hundredths(memory), "\(figures.events)",
            TextTable.hundredths(time.median),
            TextTable.hundredths(time.spread * time.median / 2),
            "\(TextTable.hundredths(figures.shareOfWrite * 100)) %",
            "\(figures.p50.microseconds)", "\(figures.p99.microseconds)",
            "\(figures.last.microseconds)", figures.instructions.map(String.init) ?? "-",
        ])
    }
}
