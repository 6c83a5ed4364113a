/// The median round of one scenario of calls.
struct Figures {
    let scenario: Scenario
    let report: FloodReport
    /// The server's processor time for one call, including that of the kernel.
    let cpuMicroseconds: Double
    /// The resident memory of the server at the end of the round.
    let residentBytes: Int
    var instructions: Int?
}

/// The figures of scenarios as tables.
enum ScenarioTables {
    static var calls: TextTable<Figures> {
        TextTable(
            ("call", 29, \.scenario.title), ("in flight", 9, \.scenario.load.text),
            ("calls/s", 8, \.report.callsPerSecond.whole),
            ("CPU µs/call", 11, \.cpuMicroseconds.hundredths),
            ("p50 µs", 7, { "\($0.report.p50.microseconds)" }),
            ("p99 µs", 7, { "\($0.report.p99.microseconds)" }),
            ("RSS MiB", 7, { "\($0.residentBytes >> 20)" }),
            ("instructions", 12, { $0.instructions.map { "\($0)" } ?? "" }))
    }

    static var streams: TextTable<StreamFigures> {
        TextTable(
            ("events of", 30, \.scenario.title), ("in flight", 9, \.scenario.load.text),
            ("streams", 7, { "\($0.streams)" }),
            (
                "KiB/stream", 10,
                { ($0.streamBytes / 1_024 / Double(max(1, $0.streams))).hundredths }
            ),
            ("events", 7, { "\($0.events)" }),
            ("CPU µs/event", 12, \.eventMicroseconds.median.hundredths),
            (
                "±", 8,
                { ($0.eventMicroseconds.spread * $0.eventMicroseconds.median / 2).hundredths }
            ),
            ("of a write", 10, \.shareOfWrite.percent),
            ("p50 µs", 7, { "\($0.p50.microseconds)" }),
            ("p99 µs", 7, { "\($0.p99.microseconds)" }),
            ("last µs", 7, { "\($0.last.microseconds)" }),
            ("instructions/event", 18, { $0.instructions.map(String.init) ?? "-" }))
    }

    /// The effect of streams on calls beside them, as parts of the calls that are made `alone`.
    static func neighbours(
        of alone: FloodReport
    ) -> TextTable<(kind: NeighbourBench.Disturbance, report: FloodReport)> {
        TextTable(
            ("CheckFriends of 1 beside", 30, \.kind.rawValue),
            ("calls/s", 8, \.report.callsPerSecond.whole),
            ("of alone", 10, { ($0.report.callsPerSecond / alone.callsPerSecond).hundredths }),
            ("p99 µs", 7, { "\($0.report.p99.microseconds)" }),
            ("of alone", 10, { $0.report.p99.ofOther(alone.p99).hundredths }))
    }

    /// The effect of more writes than a server can do.
    static var overload: TextTable<OverloadFigures> {
        TextTable(
            ("AddFriends, durable", 20, { _ in "three times the peak" }),
            ("offered/s", 9, \.offeredPerSecond.whole), ("peak/s", 7, \.peakPerSecond.whole),
            ("in time/s", 9, \.goodPerSecond.whole),
            ("of peak", 7, { ($0.goodPerSecond / max(1, $0.peakPerSecond)).hundredths }),
            ("refused", 7, \.refused.percent), ("late", 7, \.late.percent),
            ("p99 µs", 7, { "\($0.p99.microseconds)" }),
            ("light app p99 µs", 16, { "\($0.lightBeside.microseconds)" }),
            ("of alone", 8, { $0.lightBeside.ofOther($0.lightAlone).hundredths }))
    }
}
