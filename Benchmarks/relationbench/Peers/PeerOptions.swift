/// The choices for a run beside peers.
struct PeerOptions {
    /// The parts of the measurement, in the order in which they run.
    enum Part: String, CaseIterable {
        case stack, instructions, idle, events, reads, loops, checks, lookups, writes
    }

    var parts = Part.allCases
    var effort = PeerEffort()
    var seed: UInt64 = 1
    var graph = ""
    /// The folder of the peers, and the one in which data folders are made and removed.
    var peers = ""
    var folder = ""
    var python = ""
    /// The folder of the peers' sources.
    var sources = ""
    /// This build first, and other builds of this program.
    var builds: [(name: String, program: String)] = []
}
