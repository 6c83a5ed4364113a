import ArgumentParser
import Glibc

struct Run: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run the scenarios and print one line for each.",
        discussion: """
            The server runs on processor 0 and the load on processor 1. Every answer is compared, \
            byte by byte, with the one that the graph requires; a wrong one ends the run with an \
            error. A server tells a list once, which is compared with the graph before.

            Calls a second, latencies and the server's processor time are those of the median \
            round by processor time for one call. Instructions are counted by valgrind in user \
            space, over all threads of the server, as the slope between two runs: they repeat \
            where times do not.
            """)

    @Flag(help: "Run one short round without a count of instructions, to see whether all works.")
    var quick = false

    @Option(help: "Only this scenario; may be given several times.")
    var only: [ScenarioName] = []

    @OptionGroup
    var measured: MeasureOptions

    @Flag(inversion: .prefixedNo, help: "Count instructions, which needs valgrind and strip.")
    var instructions = true

    @Option(help: "Leave callgrind's files in this folder, for callgrind_annotate.")
    var profiles: String?

    @Option(help: "Another build of this program to be the server, to compare with this one.")
    var server: String?

    func run() throws {
        var effort =
            quick
            ? Effort.quick : Effort(rounds: measured.rounds, seconds: measured.seconds ?? 2)
        if !instructions { effort.instructionCalls = nil }
        try Processor.pinThisProcess(to: BenchLimits.loadProcessor)
        let bench = Bench(
            names: only.isEmpty ? ScenarioName.allCases : only, effort: effort, seed: measured.seed,
            graph: measured.graph, folder: measured.folder,
            executable: try server ?? Tool.ownPath(), profiles: profiles)
        try bench.run { line in
            print(line)
            fflush(nil)
        }
    }
}

extension ScenarioName: ExpressibleByArgument {}
