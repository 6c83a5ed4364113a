/// One figure of several rounds.
struct Rounds: JSON {
    let values: [Double]

    init(_ values: [Double]) { self.values = values }

    /// The middle value, or nil if there is none.
    ///
    /// Of an even number of values it is the mean of the two in the middle.
    var middle: Double? {
        let sorted = values.sorted()
        guard !sorted.isEmpty else { return nil }
        return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    }

    /// The middle value, or 0 if there is none.
    var median: Double { middle ?? 0 }

    /// The most less the least, as a share of the median.
    var spread: Double {
        guard let least = values.min(), let most = values.max(), median > 0 else { return 0 }
        return (most - least) / median
    }

    /// This figure's part of another one, within each round.
    ///
    /// A machine that is slow in a round is slow for both, so such a ratio says more than one of
    /// two medians.
    func ratios(to others: Rounds) -> Rounds {
        Rounds(zip(values, others.values).compactMap { $1 > 0 ? $0 / $1 : nil })
    }

    func written(_ indent: String) -> String {
        (["median": median, "rounds": values] as ReportObject).written(indent)
    }
}
