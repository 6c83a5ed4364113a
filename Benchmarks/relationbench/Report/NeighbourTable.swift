/// The effect of streams on calls beside them, as lines of a table.
enum NeighbourTable {
    private static let table = TextTable([
        ("CheckFriends of 1 beside", 30), ("calls/s", 8), ("of alone", 10), ("p99 µs", 7),
        ("of alone", 10),
    ])

    static var head: [String] { table.head }

    static func lines(
        _ figures: [(NeighbourBench.Disturbance, NeighbourBench.Figures)]
    ) -> [String] {
        guard let alone = figures.first?.1 else { return [] }
        return figures.map { kind, figures in
            table.line([
                kind.rawValue, "\(Int(figures.callsPerSecond.rounded()))",
                TextTable.hundredths(figures.callsPerSecond / alone.callsPerSecond),
                "\(figures.p99.microseconds)",
                TextTable.hundredths(
                    Double(figures.p99.microseconds) / Double(max(1, alone.p99.microseconds))),
            ])
        }
    }
}
