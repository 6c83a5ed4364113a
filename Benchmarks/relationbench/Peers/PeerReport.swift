/// The figures of a run as tables, readable as plain text and as Markdown.
enum PeerReport {
    static func lines(_ figures: PeerFigures) -> [String] {
        let parts = [
            figures.machine.map { "\($0.name): \($0.value)" } + [
                "versions: "
                    + figures.versions.map { "\($0.name) \($0.value)" }.joined(separator: ", ")
            ],
            figures.shapes.isEmpty ? [] : shapes("CheckFriends, fixed row", figures.shapes),
            figures.instructions.isEmpty ? [] : instructions(figures),
            figures.idle.isEmpty ? [] : idle(figures),
            Array(figures.reads.map(reads).joined(separator: [""])),
            figures.loops.isEmpty ? [] : loops(figures),
            figures.events.map { "one event to one stream, \($0.name): \($0.instructions)" },
            figures.checks.isEmpty ? [] : checks(figures),
            figures.lookups.isEmpty ? [] : shapes("look-ups, many friends", figures.lookups),
            figures.writes.isEmpty ? [] : writes(figures),
            PeerTarget.lines(PeerTarget.all, figures),
            verdict(figures.gaps, figures.disturbances),
        ]
        return Array(parts.filter { !$0.isEmpty }.joined(separator: [""]))
    }

    private static func shapes(_ title: String, _ figures: [ShapeFigures]) -> [String] {
        let table = TextTable([
            (title, 24), ("server", 14), ("CPU µs/call", 11), ("calls/s", 8),
            ("p50 µs", 8), ("p99 µs", 8), ("ours of it", 10),
        ])
        let rows = figures.flatMap { shape in
            shape.servers.map { server in
                table.line([
                    shape.shape.title, server.name,
                    TextTable.hundredths(server.cpuMicroseconds.median),
                    whole(server.callsPerSecond), whole(server.p50Microseconds),
                    whole(server.p99Microseconds),
                    shape.ratio(of: PeerFigures.ours, to: server.name)
                        .map(TextTable.hundredths) ?? "",
                ])
            }
        }
        return table.head + rows
    }

    private static func instructions(_ figures: PeerFigures) -> [String] {
        let table = TextTable([
            ("instructions a call", 20), ("1 id", 8), ("4 ids", 8), ("20 ids", 8),
            ("each further id", 15),
        ])
        let rows = figures.instructions.map { server in
            let counts = [1, 4, 20].map { server.byIDs[$0].map(String.init) ?? "-" }
            return table.line(
                [server.name] + counts + [server.perFurtherID.map(String.init) ?? "-"])
        }
        return table.head + rows
    }

    private static func idle(_ figures: PeerFigures) -> [String] {
        let table = TextTable([("idle connection", 16), ("KiB", 8)])
        return table.head
            + figures.idle.map { table.line([$0.name, TextTable.hundredths($0.kibibytes)]) }
    }

    private static func reads(_ figures: ReadFigures) -> [String] {
        let costs = TextTable([("long reads, \(figures.build)", 34), ("CPU µs/call", 11)])
        let times = TextTable([
            ("CheckFriends of 1 beside", 34), ("p50 µs", 11), ("of alone", 8),
        ])
        return costs.head
            + figures.cpuMicroseconds.map {
                costs.line([$0.name, TextTable.hundredths($0.rounds.median)])
            } + [""] + times.head
            + figures.p50Microseconds.map {
                times.line([
                    $0.beside, TextTable.hundredths($0.rounds.median),
                    TextTable.hundredths(figures.ratio(beside: $0.beside)),
                ])
            }
    }

    private static func loops(_ figures: PeerFigures) -> [String] {
        let table = TextTable([
            ("CheckFriends of 1, calls/s", 26), ("one loop", 9), ("two loops", 9),
            ("two servers", 11), ("of one", 7), ("of two servers", 14),
        ])
        return table.head
            + figures.loops.map { loops in
                table.line(
                    [loops.build]
                        + [loops.one, loops.two, loops.apart].map(whole)
                        + [loops.ofOne, loops.ofApart].map(TextTable.hundredths))
            }
    }

    static func whole(_ rounds: Rounds) -> String { "\(Int(rounds.median.rounded()))" }

    /// Says which figures a run lacks, and whether it was quiet.
    static func verdict(_ gaps: [String], _ disturbances: [String]) -> [String] {
        let gaps = gaps.map { "not measured: \($0)" }
        guard !disturbances.isEmpty else { return gaps + ["The run was quiet."] }
        let told = disturbances.prefix(PeerLimits.toldDisturbances)
        let rest = disturbances.count - told.count
        return gaps + ["THE RUN WAS DISTURBED:"] + told.map { "- \($0)" }
            + (rest > 0 ? ["- and \(rest) more"] : [])
    }
}
