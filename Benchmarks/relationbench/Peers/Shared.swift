import ArgumentParser
import Glibc

/// Measures servers on PostgreSQL beside a bare client of the same database.
struct Shared: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measure servers on PostgreSQL beside a bare client, and print a table.",
        discussion: """
            `make shared` builds the client before. The database stands on processor 0; the server \
            and the load, or the bare client, stand on processor 1. Ratios are those within a \
            round, and the median is shown.
            """)

    @OptionGroup
    var measured: MeasureOptions

    @Option(help: "Additions of a round, alone and in masses.")
    var writes: [Int] = [1_000, 8_000]

    @Option(help: "The bare client, as `make shared` builds it.")
    var client = ".build-peers/postgres-client"

    func validate() throws {
        guard writes.count == 2, writes.allSatisfy({ (16...1_000_000).contains($0) }) else {
            throw ValidationError("--writes is given twice, with 16 to 1000000 each")
        }
    }

    var effort: PeerEffort {
        PeerEffort(
            rounds: measured.rounds, seconds: measured.seconds ?? 2, loneWrites: writes[0],
            massedWrites: writes[1])
    }

    func run() throws {
        try Processor.pinThisProcess(to: BenchLimits.loadProcessor)
        let figures = try SharedBench(self, Note.print).measure()
        let columns: [(String, Int, (ServerRounds) -> Rounds)] = [
            ("calls/s", 9, \.callsPerSecond), ("p50 µs", 8, \.p50Microseconds),
            ("p99 µs", 8, \.p99Microseconds), ("database µs/call", 16, \.cpuMicroseconds),
            ("own µs/call", 11, \.clientMicroseconds),
        ]
        let table = TextTable<[String]>(
            [("load", 26, { $0[0] }), ("way", 12, { $0[1] })]
                + columns.enumerated().map { index, column in
                    (column.0, column.1, { $0[2 + index] })
                })
        let rows = figures.flatMap { load in
            load.servers.map { way in
                [load.title, way.name] + columns.map { $0.2(way).median.whole }
            } + [
                [load.title, "ratio"]
                    + columns.map { column in
                        let (one, other) = (column.2(load.servers[0]), column.2(load.servers[1]))
                        return one.ratios(to: other).median.hundredths
                    }
            ]
        }
        for line in table.lines(rows) { print(line) }
        fflush(nil)
    }
}
