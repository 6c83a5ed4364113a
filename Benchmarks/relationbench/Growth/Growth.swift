import ArgumentParser
import Glibc

/// Measures the server over graphs of several sizes.
struct Growth: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measure graphs of several sizes, and print tables.",
        discussion: """
            Each graph is made as `generate` makes it, and imported by `relationctl`. Then its \
            calls are measured in turns with those over the smallest graph. Every answer is \
            compared with the one that is required, and additions are looked up afterwards.

            It says how much room it needs on the device before it begins, and ends if there is \
            less. Its own memory does not depend on the size of the graphs.
            """)

    @Flag(help: "Small graphs and one short round of each, to see whether all works.")
    var quick = false

    @Option(help: "About how many friendships a graph has, such as 88234, 5M; several times.")
    var size: [GraphSize] = []

    @OptionGroup
    var measured: MeasureOptions

    @Option(
        help: "The order of the imported lines: one copy of the sample after another, or mixed.")
    var order = LineOrder.copies

    @Option(help: "The program that imports; without it, `relationctl` beside this one.")
    var importer: String?

    @Option(help: "The folder for growth.json and growth.svg.")
    var figures = ".build-peers"

    var effort: GrowthEffort {
        quick
            ? .quick
            : GrowthEffort(
                peers: PeerEffort(rounds: measured.rounds, seconds: measured.seconds ?? 1))
    }

    /// About how many friendships the graphs have.
    var friendships: [Int] {
        guard size.isEmpty else { return size.map(\.count) }
        return quick
            ? [1, GrowthLimits.quickCopies * GrowthLimits.quickLines] : GrowthLimits.friendships
    }

    func run() throws {
        try Processor.pinThisProcess(to: BenchLimits.loadProcessor)
        let result = try GrowthBench(self, program: Tool.ownPath()).run(Note.print)
        for line in GrowthReport.lines(result) { print(line) }
        fflush(nil)
        try OutputFile.write(result.json.written() + "\n", to: figures + "/growth.json")
        try OutputFile.write(GrowthReport.svg(result), to: figures + "/growth.svg")
    }
}
