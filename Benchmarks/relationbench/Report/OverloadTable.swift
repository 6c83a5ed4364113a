/// The effect of more writes than a server can do, as a table.
enum OverloadTable {
    private static let table = TextTable([
        ("AddFriends, durable", 20), ("offered/s", 9), ("peak/s", 7), ("in time/s", 9),
        ("of peak", 7), ("refused", 7), ("late", 7), ("p99 µs", 7), ("light app p99 µs", 16),
        ("of alone", 8),
    ])

    static var head: [String] { table.head }

    static func line(_ figures: OverloadFigures) -> String {
        table.line([
            "three times the peak", "\(Int(figures.offeredPerSecond.rounded()))",
            "\(Int(figures.peakPerSecond.rounded()))", "\(Int(figures.goodPerSecond.rounded()))",
            TextTable.hundredths(figures.goodPerSecond / max(1, figures.peakPerSecond)),
            TextTable.hundredths(figures.refused * 100) + " %",
            TextTable.hundredths(figures.late * 100) + " %", "\(figures.p99.microseconds)",
            "\(figures.lightBeside.microseconds)",
            TextTable.hundredths(
                Double(figures.lightBeside.microseconds)
                    / Double(max(1, figures.lightAlone.microseconds))),
        ])
    }
}
