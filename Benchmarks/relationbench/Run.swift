import ArgumentParser
import Glibc

struct Run: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run the scenarios and print one line for each.",
        discussion: """
            The server runs on processor 0 and the load on processor 1. Every answer is compared, \
            byte by byte, with the one that the graph requires; a wrong one ends the run with an \
            error.

            Calls a second, latencies and the server's processor time are those of the median \
            round by processor time for one call. Instructions are counted by valgrind in user \
            space, over all threads of the server, as the slope between two runs: they repeat \
            where times do not.
            """)

    @Flag(help: "Run one short round without a count of instructions, to see whether all works.")
    var quick = false

    @Option(help: "Only this scenario; may be given several times.")
    var only: [ScenarioName] = []

    @Option(help: "The seed for the choice of users and pairs.")
    var seed: UInt64 = 1

    @Option(help: "Rounds of each scenario.")
    var rounds = 5

    @Option(help: "How long a round that reads takes, in seconds.")
    var seconds = 2.0

    @Flag(inversion: .prefixedNo, help: "Count instructions, which needs valgrind and strip.")
    var instructions = true

    @Option(help: "Leave callgrind's files in this folder, for callgrind_annotate.")
    var profiles: String?

    @Option(help: "Another build of this program to be the server, to compare with this one.")
    var server: String?

    @Option(help: "The file of friendships, one pair a line.")
    var graph = "Tests/Data/facebook_edges.txt"

    @Option(
        help: "The folder in which a data folder is made and removed; its device is measured too.")
    var folder = ".build"

    func validate() throws {
        guard (1...99).contains(rounds), (0.01...600).contains(seconds) else {
            throw ValidationError("--rounds takes 1 to 99, --seconds 0.01 to 600")
        }
    }

    func run() throws {
        var effort = quick ? Effort.quick : Effort(rounds: rounds, seconds: seconds)
        if !instructions { effort.instructionCalls = nil }
        try Processor.pinThisProcess(to: BenchLimits.loadProcessor)
        let bench = Bench(
            only.isEmpty ? ScenarioName.allCases : only, effort: effort, seed: seed, graph: graph,
            folder: folder, executable: try server ?? Tool.ownPath(), profiles: profiles)
        try bench.run { line in
            print(line)
            fflush(nil)
        }
    }
}

extension ScenarioName: ExpressibleByArgument {}
