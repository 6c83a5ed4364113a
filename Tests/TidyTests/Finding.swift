/// A place that breaks a rule.
struct Finding: Equatable, CustomStringConvertible {
    let path: String
    let line: Int
    let rule: String

    init(_ path: String, _ line: Int, _ rule: String) {
        self.path = path
        self.line = line
        self.rule = rule
    }

    init(_ file: SourceFile, _ line: Int, _ rule: String) {
        self.init(file.path, line, rule)
    }

    var description: String { "\(path):\(line): \(rule)" }
}

extension [Finding] {
    /// The words of a failed test: a line for each finding.
    var text: String { "\n" + map(\.description).joined(separator: "\n") }
}
