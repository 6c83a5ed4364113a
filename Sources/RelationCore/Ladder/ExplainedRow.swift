package import RelationModel

/// A row at which a rung looked.
package struct ExplainedRow: Equatable, Sendable {
    package let owner: UserID
    /// Nil for a row about its owner alone.
    package let other: UserID?
    package var isPresent = false
    /// The owner's sequence when the row, or else its list, changed last; of a profile its version.
    package var sequence: Int64 = 0
    package var addTimeMs: Int64 = 0
    package var endTimeMs: Int64 = 0
}
