import ArgumentParser
import Glibc

/// Measures the server beside other servers of the same call.
struct Peers: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measure ours beside other servers, and print tables.",
        discussion: """
            `make peers` builds the other servers before. All servers stand on processor 0 and \
            have turns; the load is on processor 1. Every answer is compared with the one that \
            is required. Ratios are those within a round, and the median is shown.
            """)

    /// The parts of the measurement, in the order in which they run.
    ///
    /// The last ones need rows on disk, which are written once for all of them.
    enum Part: String, CaseIterable, ExpressibleByArgument {
        case stack, instructions, idle, events, lookups, writes, reads, loops, checks
    }

    @Flag(help: "One short round of each, to see whether all works.")
    var quick = false

    @Option(help: "Only this part; may be given several times.")
    var part: [Part] = []

    @Option(help: "Another build of this program as one more server: NAME=PATH.")
    var also: [String] = []

    @OptionGroup
    var measured: MeasureOptions

    @Option(help: "The folder into which `make peers` has built the other servers.")
    var peers = ".build-peers"

    @Option(help: "The folder for peers.json and peers.svg.")
    var figures = ".build-peers"

    @Option(help: "The Python that has grpcio.")
    var python = ".build-python/bin/python"
    /// The folder of the peers' sources.
    static let sources = "Benchmarks/peers"

    func validate() throws {
        guard also.allSatisfy({ Self.pair($0[...]) != nil }) else {
            throw ValidationError("--also takes NAME=PATH")
        }
    }

    func run() throws {
        try Processor.pinThisProcess(to: BenchLimits.loadProcessor)
        let result = try PeerBench(self, Note.print).run()
        for line in PeerReport.lines(result) { print(line) }
        fflush(nil)
        try OutputFile.write(result.json.written() + "\n", to: figures + "/peers.json")
        guard !result.shapes.isEmpty else { return }
        try OutputFile.write(PeerPlot(result.shapes).svg, to: figures + "/peers.svg")
    }

    var effort: PeerEffort {
        quick
            ? .quick
            : PeerEffort(rounds: measured.rounds, seconds: measured.seconds ?? 1)
    }

    /// This build first, and the other builds of this program.
    func builds() throws -> [(name: String, program: String)] {
        [(PeerFigures.ours, try Tool.ownPath())] + also.compactMap { Self.pair($0[...]) }
    }

    /// Two words with an equals sign between them.
    static func pair(_ text: Substring) -> (String, String)? {
        let words = text.split(separator: "=", maxSplits: 1).map(String.init)
        return words.count == 2 ? (words[0], words[1]) : nil
    }
}
