// The tables of the measurements beside stores.

extension PeerReport {
    static func checks(_ figures: PeerFigures) -> [String] {
        let table = TextTable([
            ("read of the sample graph", 24), ("server", 14), ("CPU µs/call", 11),
            ("calls/s", 8), ("p50 µs", 8), ("of fixed row", 12), ("pairs/s of CPU", 14),
        ])
        let rows = figures.checks.flatMap { check in
            (check.builds + [check.fixed].compactMap(\.self)).enumerated().map { index, server in
                table.line([
                    check.read.title, server.name,
                    TextTable.hundredths(server.cpuMicroseconds.median),
                    whole(server.callsPerSecond), whole(server.p50Microseconds),
                    (index == 0 ? check.ofFixed : nil).map(TextTable.hundredths) ?? "",
                    (index == 0 ? check.pairsPerSecond : nil)
                        .map { "\(Int($0.rounded()))" } ?? "",
                ])
            }
        }
        return table.head + rows
    }

    static func writes(_ figures: PeerFigures) -> [String] {
        let table = TextTable([
            ("durable additions", 24), ("server", 22), ("adds/s", 8), ("CPU µs/add", 10),
            ("p50 µs", 8), ("p99 µs", 8), ("written B/add", 13), ("ours of its adds/s", 18),
        ])
        let rows = figures.writes.flatMap { figures in
            figures.servers.map { server in
                table.line([
                    figures.title, server.name, whole(server.callsPerSecond),
                    TextTable.hundredths(server.cpuMicroseconds.median),
                    whole(server.p50Microseconds), whole(server.p99Microseconds),
                    whole(server.writtenBytes),
                    figures.ratio(of: PeerFigures.ours, to: server.name, \.callsPerSecond)
                        .map(TextTable.hundredths) ?? "",
                ])
            }
        }
        return table.head + rows
    }
}
