/// The figures of a run as tables, readable as plain text and as Markdown.
enum PeerReport {
    static func lines(_ figures: PeerFigures) -> [String] {
        let versions = figures.versions.map { "\($0.name) \($0.value)" }.joined(separator: ", ")
        let parts = [
            figures.machine.map { "\($0.name): \($0.value)" } + ["versions: " + versions],
            shapes("CheckFriends, fixed row", figures.shapes),
            instructions.lines(figures.instructions), idle.lines(figures.idle),
            Array(figures.reads.map(reads).joined(separator: [""])),
            loops.lines(figures.loops),
            figures.events.map { "one event to one stream, \($0.name): \($0.instructions)" },
            checks(figures.checks), shapes("look-ups, many friends", figures.lookups),
            writes(figures.writes), PeerTarget.lines(PeerTarget.all, figures),
            verdict(figures.gaps, figures.disturbances),
        ]
        return Array(parts.filter { !$0.isEmpty }.joined(separator: [""]))
    }

    private typealias Entry<Kind> = (load: Kind, server: ServerRounds)

    /// A row for each server of each load.
    private static func entries<Kind: Comparison>(_ loads: [Kind]) -> [Entry<Kind>] {
        loads.flatMap { load in load.servers.map { (load, $0) } }
    }

    private static func shapes(_ title: String, _ figures: [ShapeFigures]) -> [String] {
        TextTable<Entry<ShapeFigures>>(
            (title, 24, \.load.shape.title), ("server", 14, \.server.name),
            ("CPU µs/call", 11, \.server.cpuMicroseconds.median.hundredths),
            ("calls/s", 8, \.server.callsPerSecond.median.whole),
            ("p50 µs", 8, \.server.p50Microseconds.median.whole),
            ("p99 µs", 8, \.server.p99Microseconds.median.whole),
            (
                "ours of it", 10,
                { $0.load.ratio(of: PeerFigures.ours, to: $0.server.name)?.hundredths ?? "" }
            )
        ).lines(entries(figures))
    }

    private static var instructions: TextTable<InstructionFigures> {
        func column(_ title: String, _ ids: Int) -> TextTable<InstructionFigures>.Column {
            (title, 8, { $0.byIDs[ids].map(String.init) ?? "-" })
        }
        return TextTable(
            ("instructions a call", 20, \.name), column("1 id", 1), column("4 ids", 4),
            column("20 ids", 20),
            ("each further id", 15, { $0.perFurtherID.map(String.init) ?? "-" }))
    }

    private static var idle: TextTable<(name: String, kibibytes: Double)> {
        TextTable(("idle connection", 16, \.name), ("KiB", 8, \.kibibytes.hundredths))
    }

    private static func reads(_ figures: ReadFigures) -> [String] {
        TextTable<(name: String, rounds: Rounds)>(
            ("long reads, \(figures.build)", 34, \.name),
            ("CPU µs/call", 11, \.rounds.median.hundredths)
        ).lines(figures.cpuMicroseconds) + [""]
            + TextTable<(beside: String, rounds: Rounds)>(
                ("CheckFriends of 1 beside", 34, \.beside),
                ("p50 µs", 11, \.rounds.median.hundredths),
                ("of alone", 8, { figures.ratio(beside: $0.beside).hundredths })
            ).lines(figures.p50Microseconds)
    }

    private static var loops: TextTable<LoopFigures> {
        TextTable(
            ("CheckFriends of 1, calls/s", 26, \.build), ("one loop", 9, \.one.median.whole),
            ("two loops", 9, \.two.median.whole), ("two servers", 11, \.apart.median.whole),
            ("of one", 7, \.ofOne.hundredths), ("of two servers", 14, \.ofApart.hundredths))
    }

    private static func checks(_ figures: [CheckFigures]) -> [String] {
        /// A figure that only this build has.
        func first(
            _ value: @escaping (CheckFigures) -> String?
        ) -> (Entry<CheckFigures>) -> String {
            { $0.server.name == $0.load.builds.first?.name ? value($0.load) ?? "" : "" }
        }
        return TextTable<Entry<CheckFigures>>(
            ("read of the sample graph", 24, \.load.read.title), ("server", 14, \.server.name),
            ("CPU µs/call", 11, \.server.cpuMicroseconds.median.hundredths),
            ("calls/s", 8, \.server.callsPerSecond.median.whole),
            ("p50 µs", 8, \.server.p50Microseconds.median.whole),
            ("of fixed row", 12, first { $0.ofFixed?.hundredths }),
            ("pairs/s of CPU", 14, first { $0.pairsPerSecond?.whole })
        ).lines(entries(figures))
    }

    private static func writes(_ figures: [WriteFigures]) -> [String] {
        TextTable<Entry<WriteFigures>>(
            ("durable additions", 24, \.load.title), ("server", 22, \.server.name),
            ("adds/s", 8, \.server.callsPerSecond.median.whole),
            ("CPU µs/add", 10, \.server.cpuMicroseconds.median.hundredths),
            ("p50 µs", 8, \.server.p50Microseconds.median.whole),
            ("p99 µs", 8, \.server.p99Microseconds.median.whole),
            ("written B/add", 13, \.server.writtenBytes.median.whole),
            (
                "ours of its adds/s", 18,
                {
                    $0.load.ratio(of: PeerFigures.ours, to: $0.server.name, \.callsPerSecond)?
                        .hundredths ?? ""
                }
            )
        ).lines(entries(figures))
    }

    /// Says which figures a run lacks, and whether it was quiet.
    static func verdict(_ gaps: [String], _ disturbances: [String]) -> [String] {
        let gaps = gaps.map { "not measured: \($0)" }
        guard !disturbances.isEmpty else { return gaps + ["The run was quiet."] }
        let told = disturbances.prefix(PeerBenchLimits.toldDisturbances)
        let rest = disturbances.count - told.count
        return gaps + ["THE RUN WAS DISTURBED:"] + told.map { "- \($0)" }
            + (rest > 0 ? ["- and \(rest) more"] : [])
    }
}
