/// The numbers that were committed at the primary, with the times at which their commits began.
///
/// A view that shows a number has all that was committed before the commit of that number began. So
/// the times say how old a view may be. They are in milliseconds of a clock of this process that
/// never goes back, and no other clock is asked.
package struct MarkHistory: Sendable {
    private struct Mark {
        let value: Int64
        let begun: Int
        /// The number of the primary that has committed it.
        let primary: UInt64
    }

    /// In the order of their values.
    private var marks: [Mark] = []

    package init() {}

    package var count: Int { marks.count }

    /// Notes a number that was committed.
    ///
    /// - Parameters:
    ///   - begun: When its commit began.
    ///   - primary: The number of the primary. Numbers of an earlier one are forgotten: a copy that
    ///     shows them may follow that one still.
    ///   - age: The age that views may have at most; what is older is forgotten.
    package mutating func add(_ value: Int64, begun: Int, primary: UInt64, keeping age: Int) {
        marks.removeAll { $0.primary != primary || $0.begun < begun - age }
        guard value > marks.last?.value ?? .min else { return }
        if marks.count == Limits.keptMarks { marks.removeFirst() }
        marks.append(Mark(value: value, begun: begun, primary: primary))
    }

    /// The lowest number of the present primary whose commit did not begin before `time`; nil if
    /// there is none.
    package func oldest(since time: Int, primary: UInt64) -> Int64? {
        marks.first { $0.begun >= time && $0.primary == primary }?.value
    }

    /// When the commit of the last number of the present primary began; nil if there is none.
    package func newest(primary: UInt64) -> Int? {
        marks.last.flatMap { $0.primary == primary ? $0.begun : nil }
    }
}
