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

    func run() throws {
        var options = SharedBench.Options()
        let own = try Tool.ownPath()
        options.relationd = own.prefix(upTo: own.lastIndex(of: "/")!) + "/relationd"
        options.client = client
        options.sources = "Benchmarks/peers/postgres"
        options.folder = measured.folder
        options.rounds = measured.rounds
        options.seconds = measured.seconds ?? 2
        (options.loneWrites, options.massedWrites) = (writes[0], writes[1])
        try Processor.pinThisProcess(to: BenchLimits.loadProcessor)
        let bench = try SharedBench(options, try SampleGraph(path: measured.graph), Note.print)
        let figures = try bench.measure(Note.print)
        let table = TextTable([
            ("load", 26), ("way", 12), ("calls/s", 9), ("p50 µs", 8), ("p99 µs", 8),
            ("database µs/call", 16), ("own µs/call", 11),
        ])
        for line in table.head { print(line) }
        for figure in figures {
            for way in figure.ways { print(table.line([figure.title] + Self.cells(way))) }
            print(
                table.line(
                    [figure.title, "ratio"]
                        + [
                            \SharedFigures.Way.callsPerSecond, \.p50, \.p99, \.databaseCPU,
                            \.clientCPU,
                        ].map { TextTable.hundredths(figure.ratio($0)) }))
        }
        fflush(nil)
    }

    private static func cells(_ way: SharedFigures.Way) -> [String] {
        let figures = [way.callsPerSecond, way.p50, way.p99, way.databaseCPU, way.clientCPU]
        return [way.name] + figures.map { "\(Int(Rounds($0).median.rounded()))" }
    }
}
