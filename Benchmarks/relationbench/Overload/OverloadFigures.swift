/// The effect of more writes than a server can do: in one round, or in several.
struct OverloadFigures {
    /// Calls a second if as many come as are answered.
    var peakPerSecond = 0.0
    var offeredPerSecond = 0.0
    /// Of the offered calls, those that succeeded in time.
    var goodPerSecond = 0.0
    /// The part of the calls that was refused at once, and the part that was answered too late.
    var refused = 0.0
    var late = 0.0
    /// The time of the calls that succeeded.
    var p99 = Duration.zero
    /// The time of another app's calls, without the load and beside it.
    var lightAlone = Duration.zero
    var lightBeside = Duration.zero
    /// The length of the load, in seconds.
    var seconds = 0.0
}

extension OverloadFigures {
    /// The rates of all rounds together, and the medians of the times of single calls.
    init(of rounds: [OverloadFigures]) {
        func median(_ value: KeyPath<OverloadFigures, Duration>) -> Duration {
            rounds.map { $0[keyPath: value] }.sorted()[rounds.count / 2]
        }
        for round in rounds {
            // All rounds have the same number of calls. A slow round takes longer, and counts more.
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
