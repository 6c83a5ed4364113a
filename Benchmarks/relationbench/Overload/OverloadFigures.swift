/// What more writes than a server can do showed: in one round, or in several.
struct OverloadFigures {
    /// Calls a second when as many come as are answered.
    var peakPerSecond = 0.0
    var offeredPerSecond = 0.0
    /// Of what was offered, the calls that were answered well and in time.
    var goodPerSecond = 0.0
    /// The part of the calls that was refused at once, and that was answered too late.
    var refused = 0.0
    var late = 0.0
    /// Of the calls that were answered well.
    var p99 = Duration.zero
    /// Of another app's calls, without the load and beside it.
    var lightAlone = Duration.zero
    var lightBeside = Duration.zero
    /// For how long that was offered.
    var seconds = 0.0
}

extension OverloadFigures {
    /// The rates of all rounds together, and the medians of what single calls wait.
    init(of rounds: [OverloadFigures]) {
        func median(_ value: KeyPath<OverloadFigures, Duration>) -> Duration {
            rounds.map { $0[keyPath: value] }.sorted()[rounds.count / 2]
        }
        for round in rounds {
            // Rounds have as many calls each: those of a slow one take longer, and count so.
            let part = round.seconds / rounds.reduce(0) { $0 + $1.seconds }
            peakPerSecond += round.peakPerSecond * part
            offeredPerSecond += round.offeredPerSecond * part
            goodPerSecond += round.goodPerSecond * part
            refused += round.refused / Double(rounds.count)
            late += round.late / Double(rounds.count)
            seconds += round.seconds
        }
        p99 = median(\.p99)
        lightAlone = median(\.lightAlone)
        lightBeside = median(\.lightBeside)
    }
}
