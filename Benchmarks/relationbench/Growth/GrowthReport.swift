/// The figures of growth as tables, readable as plain text and as Markdown.
enum GrowthReport {
    static func lines(_ figures: GrowthFigures) -> [String] {
        let parts = [
            figures.machine.map { "\($0.name): \($0.value)" }, calls(figures), sizes(figures),
            imports(figures), GrowthTarget.lines(GrowthTarget.all, figures),
            PeerReport.verdict([], figures.disturbances),
        ]
        return Array(parts.joined(separator: [""]))
    }

    private static func calls(_ figures: GrowthFigures) -> [String] {
        let table = TextTable([
            ("friendships", 12), ("call", 24), ("CPU µs/call", 11), ("calls/s", 8), ("p50 µs", 8),
            ("p99 µs", 8), ("of the smallest", 15),
        ])
        let rows = figures.sizes.flatMap { size in
            size.calls.map { call in
                table.line([
                    GraphSize.text(size.friendships), call.name,
                    TextTable.hundredths(call.own.cpuMicroseconds.median),
                    whole(call.own.callsPerSecond.median),
                    whole(call.own.p50Microseconds.median),
                    whole(call.own.p99Microseconds.median),
                    size.ofSmallest(call.name).map(TextTable.hundredths) ?? "",
                ])
            }
        }
        return table.head + rows
    }

    private static func sizes(_ figures: GrowthFigures) -> [String] {
        let table = TextTable([
            ("friendships", 12), ("users", 8), ("disk MiB", 8), ("B/friendship", 12),
            ("memory MiB", 10), ("in use B/friendship", 19), ("stop s", 7), ("start s", 7),
        ])
        let rows = figures.sizes.map { size in
            table.line([
                GraphSize.text(size.friendships), "\(size.users)", "\(size.diskBytes >> 20)",
                whole(size.diskPerFriendship), "\(size.usedBytes >> 20)",
                whole(size.memoryPerFriendship), TextTable.hundredths(size.stopSeconds),
                TextTable.hundredths(size.startSeconds),
            ])
        }
        return table.head + rows
    }

    private static func imports(_ figures: GrowthFigures) -> [String] {
        let table = TextTable([
            ("import of", 12), ("friendships/s", 13), ("CPU µs each", 11), ("written B each", 14),
            ("importer MiB", 12),
        ])
        let rows = figures.sizes.map { size in
            table.line([
                GraphSize.text(size.friendships), whole(size.importRate),
                TextTable.hundredths(size.importMicroseconds), whole(size.writtenPerFriendship),
                "\(size.imported.clientBytes >> 20)",
            ])
        }
        return table.head + rows
    }

    private static func whole(_ value: Double) -> String { "\(Int(value.rounded()))" }

    /// The picture, as SVG.
    static func svg(_ figures: GrowthFigures) -> String {
        func group(
            _ title: String, digits: Int = 0, _ value: (SizeFigures) -> Double
        ) -> BarPlot.Group {
            BarPlot.Group(
                title: title,
                bars: figures.sizes.map { size in
                    let value = value(size)
                    return BarPlot.Bar(
                        name: GraphSize.text(size.friendships), value: value,
                        label: digits == 0 ? whole(value) : TextTable.hundredths(value))
                })
        }
        let calls = GrowthBench.calls.map { name in
            group("\(name), µs of CPU", digits: 2) { $0.microseconds(name) ?? 0 }
        }
        return BarPlot(
            head: "One server, by the friendships that it has",
            groups: calls + [
                group("Memory in use, bytes a friendship", \.memoryPerFriendship),
                group("Disk, bytes a friendship", \.diskPerFriendship),
                group("Import, friendships a second", \.importRate),
                group("Start, seconds", digits: 2, \.startSeconds),
            ]
        ).svg
    }
}
