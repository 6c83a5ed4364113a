package import RelationCore

/// The outcome of one row of an import, with what its result says beside it.
package struct ImportRowOutcome<Code: OutcomeCode> {
    /// The row's number: the first row of the import is 1.
    package let number: Int64
    /// The user of the row, as it was sent.
    package let userID: String
    package let outcome: Outcome<Code>
    package let detail: ImportRowDetail?
}
