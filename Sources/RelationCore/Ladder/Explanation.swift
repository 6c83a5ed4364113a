package import RelationModel

/// The rungs at which a rule looked, with the rows and settings behind them.
package struct Explanation<Answer: Sendable>: Sendable {
    /// A row at which a rung looked.
    package struct Row: Equatable, Sendable {
        package let owner: UserID
        /// Nil for a row about its owner alone.
        package let other: UserID?
        package var isPresent = false
        /// The owner's sequence when the row, or else its list, changed last.
        package var sequence: Int64 = 0
        package var addTimeMs: Int64 = 0
        package var endTimeMs: Int64 = 0
    }

    package struct Rung: Sendable {
        package let kind: RungKind
        package let decided: Bool
        package let rows: [Row]
        /// The setting on which the rung depends.
        package let setting: (name: String, isOn: Bool)?
    }

    package let answer: Answer
    package let rungs: [Rung]
    package let appVersion: Int64
}
