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

    @Flag(help: "One short round of each, to see whether all works.")
    var quick = false

    @Option(help: "Only this part; may be given several times.")
    var part: [PeerOptions.Part] = []

    @Option(help: "Another build of this program as one more server: NAME=PATH.")
    var also: [String] = []

    @OptionGroup
    var measured: MeasureOptions

    @Option(help: "The seed for the choice of users.")
    var seed: UInt64 = 1

    @Option(help: "The folder into which `make peers` has built the other servers.")
    var peers = ".build-peers"

    @Option(help: "The folder for peers.json and peers.svg.")
    var figures = ".build-peers"

    @Option(help: "The Python that has grpcio.")
    var python = ".build-python/bin/python"

    func validate() throws {
        guard also.allSatisfy({ Self.build($0) != nil }) else {
            throw ValidationError("--also takes NAME=PATH")
        }
    }

    func run() throws {
        var options = PeerOptions()
        if quick {
            options.effort = .quick
        } else {
            options.effort.rounds = measured.rounds
            options.effort.seconds = measured.seconds ?? 1
        }
        if !part.isEmpty { options.parts = PeerOptions.Part.allCases.filter(part.contains) }
        options.seed = seed
        options.graph = measured.graph
        options.peers = peers
        options.folder = measured.folder
        options.python = python
        options.sources = "Benchmarks/peers"
        options.builds =
            [(PeerFigures.ours, try Tool.ownPath())] + also.compactMap(Self.build)
        try Processor.pinThisProcess(to: BenchLimits.loadProcessor)
        let result = try PeerBench(options).run(Note.print)
        for line in PeerReport.lines(result) { print(line) }
        fflush(nil)
        try OutputFile.write(
            Array((result.json.written() + "\n").utf8), to: figures + "/peers.json")
        guard !result.shapes.isEmpty else { return }
        try OutputFile.write(
            Array(PeerPlot(result.shapes).svg.utf8), to: figures + "/peers.svg")
    }

    /// A name and a path with an equals sign between them.
    private static func build(_ text: String) -> (name: String, program: String)? {
        let words = text.split(separator: "=", maxSplits: 1).map(String.init)
        return words.count == 2 ? (words[0], words[1]) : nil
    }
}

extension PeerOptions.Part: ExpressibleByArgument {}
