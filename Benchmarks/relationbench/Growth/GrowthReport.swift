/// The figures of growth as tables, readable as plain text and as Markdown.
enum GrowthReport {
    static func lines(_ figures: GrowthFigures) -> [String] {
        let parts = [
            figures.machine.map { "\($0.name): \($0.value)" },
            calls.lines(
                figures.sizes.flatMap { size in size.calls.map { (size, $0.name, $0.own) } }),
            sizes.lines(figures.sizes), imports.lines(figures.sizes),
            GrowthTarget.lines(GrowthTarget.all, figures),
            PeerReport.verdict([], figures.disturbances),
        ]
        return Array(parts.joined(separator: [""]))
    }

    private static var calls: TextTable<(size: SizeFigures, call: String, own: ServerRounds)> {
        TextTable(
            ("friendships", 12, \.size.title), ("call", 24, \.call),
            ("CPU µs/call", 11, \.own.cpuMicroseconds.median.hundredths),
            ("calls/s", 8, \.own.callsPerSecond.median.whole),
            ("p50 µs", 8, \.own.p50Microseconds.median.whole),
            ("p99 µs", 8, \.own.p99Microseconds.median.whole),
            ("of the smallest", 15, { $0.size.ofSmallest($0.call)?.hundredths ?? "" }))
    }

    private static var sizes: TextTable<SizeFigures> {
        TextTable(
            ("friendships", 12, \.title), ("users", 8, { "\($0.users)" }),
            ("disk MiB", 8, { "\($0.diskBytes >> 20)" }),
            ("B/friendship", 12, \.diskPerFriendship.whole),
            ("memory MiB", 10, { "\($0.usedBytes >> 20)" }),
            ("in use B/friendship", 19, \.memoryPerFriendship.whole),
            ("stop s", 7, \.stopSeconds.hundredths), ("start s", 7, \.startSeconds.hundredths))
    }

    private static var imports: TextTable<SizeFigures> {
        TextTable(
            ("import of", 12, \.title), ("friendships/s", 13, \.importRate.whole),
            ("CPU µs each", 11, \.importMicroseconds.hundredths),
            ("written B each", 14, \.writtenPerFriendship.whole),
            ("importer MiB", 12, { "\($0.imported.clientBytes >> 20)" }))
    }

    /// The picture, as SVG.
    static func svg(_ figures: GrowthFigures) -> String {
        func group(
            _ title: String, _ value: (SizeFigures) -> Double,
            _ label: (Double) -> String = { $0.whole }
        ) -> BarPlot.Group {
            let values = figures.sizes.map { ($0.title, value($0)) }
            return BarPlot.Group(
                title: title,
                bars: values.map { BarPlot.Bar(name: $0, value: $1, label: label($1)) })
        }
        let calls = GrowthBench.calls.map { name in
            group("\(name), µs of CPU", { $0.microseconds(name) ?? 0 }, \.hundredths)
        }
        return BarPlot(
            title: "One server, by the friendships that it has",
            groups: calls + [
                group("Memory in use, bytes a friendship", \.memoryPerFriendship),
                group("Disk, bytes a friendship", \.diskPerFriendship),
                group("Import, friendships a second", \.importRate),
                group("Start, seconds", \.startSeconds, \.hundredths),
            ]
        ).svg
    }
}

extension SizeFigures {
    fileprivate var title: String { GraphSize.text(friendships) }
}
