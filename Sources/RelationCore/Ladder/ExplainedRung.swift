package import RelationModel

/// A rung at which a rule looked, with the rows and settings behind it.
package struct ExplainedRung: Sendable {
    package let kind: RungKind
    package let decided: Bool
    package var rows: [ExplainedRow] = []
    /// The setting on which the rung depends.
    package var setting: (name: String, isOn: Bool)?
    /// The value that decides, by its name in the contract.
    package var value = ""
    /// The number that is compared with the bound, and the bound.
    package var bound: (count: Int64, limit: Int64)?
    /// The hook that is asked.
    package var hookID = ""

    init(_ kind: RungKind, decided: Bool) {
        self.kind = kind
        self.decided = decided
    }
}
