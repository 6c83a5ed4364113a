/// The sizes of what is measured.
enum BenchLimits {
    static let serverProcessor = 0
    static let loadProcessor = 1

    /// The friends of those whose lists are asked for: a page of this size is the whole list.
    static let listedFriends = 50

    /// Different calls that a scenario which reads goes through, again and again: enough that
    /// neither the server's caches nor the branch predictor know the next one.
    static let differentReads = 4_096

    /// Times that a small file is synced, to know what one sync takes.
    static let measuredSyncs = 200

    /// How long a server may take to start, also under valgrind.
    static let startSeconds = 120.0
}

/// How long is measured, and how often.
struct Effort {
    var rounds: Int
    /// The length of a round that reads.
    ///
    /// A round that writes has a number of calls.
    var seconds: Double
    var warmUpSeconds: Double
    /// Writes in a round, with one call in flight and with many.
    var loneWrites: Int
    var massedWrites: Int
    /// Calls of the shorter and of the longer run that instructions are counted in.
    var instructionCalls: (Int, Int)?

    init(rounds: Int, seconds: Double) {
        self.rounds = rounds
        self.seconds = seconds
        warmUpSeconds = 0.5
        loneWrites = 1_000
        massedWrites = 10_000
        instructionCalls = (400, 2_400)
    }

    static var quick: Effort {
        var effort = Effort(rounds: 1, seconds: 0.2)
        effort.warmUpSeconds = 0.05
        effort.loneWrites = 20
        effort.massedWrites = 200
        effort.instructionCalls = nil
        return effort
    }
}
