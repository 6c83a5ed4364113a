package import RelationCalls
package import RelationCore

/// One row of an import: its user, and either what is to be written or the refusal.
package struct ImportRow<Row, Code: OutcomeCode> {
    let userID: String
    package let value: Result<Row, Refusal<Code>>

    package init(userID: String, value: Result<Row, Refusal<Code>>) {
        self.userID = userID
        self.value = value
    }
}
