import RelationClient
import TextFiles

/// An error that ends the program with a message.
struct Failure: Error, CustomStringConvertible {
    let text: PlainText
    let outcome: ExitStatus

    var description: String { text.description }

    init(_ text: PlainText, _ outcome: ExitStatus = .failed) {
        self.text = text
        self.outcome = outcome
    }

    init(_ failure: InputFileError) {
        self.init("\(failure)")
    }

    /// A call that failed as a whole: its error on one line, and a line for each detail.
    init(_ error: CallError) {
        var lines: [PlainText] = ["\(error.description)"]
        for violation in error.violations where !error.message.contains(violation.rule) {
            lines.append("\(violation.field): \(violation.rule)")
        }
        for (name, value) in error.metadata.sorted(by: { $0.key < $1.key }) {
            lines.append("\(name): \(value)")
        }
        if let wait = error.retryAfter { lines.append("the server asks to wait \(wait)") }
        self.init(lines.joined("\n  "), ExitStatus(of: error.code))
    }
}
