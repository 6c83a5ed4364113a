import RelationClient

/// An error that ends the program with a message.
struct Failure: Error, CustomStringConvertible {
    let description: String
    let outcome: Outcome

    init(_ description: String, _ outcome: Outcome = .failed) {
        self.description = description
        self.outcome = outcome
    }

    /// A call that failed as a whole: its error on one line, and a line for each detail.
    init(_ error: CallError) {
        var lines = [error.description]
        for violation in error.violations where !error.message.contains(violation.rule) {
            lines.append("\(violation.field): \(violation.rule)")
        }
        for (name, value) in error.metadata.sorted(by: { $0.key < $1.key }) {
            lines.append("\(name): \(value)")
        }
        if let wait = error.retryAfter { lines.append("the server asks to wait \(wait)") }
        self.init(
            lines.map { PlainTable.plain($0) }.joined(separator: "\n  "),
            Outcome(of: error.code))
    }
}
