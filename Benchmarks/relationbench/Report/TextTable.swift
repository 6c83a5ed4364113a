/// A table whose columns are aligned in plain text, and that is Markdown too.
struct TextTable {
    private let columns: [(name: String, width: Int)]

    /// - Parameter columns: The first one is aligned to the left, all others to the right.
    init(_ columns: [(name: String, width: Int)]) {
        self.columns = columns
    }

    var head: [String] {
        let rules = columns.enumerated().map { index, column in
            index == 0
                ? String(repeating: "-", count: column.width)
                : String(repeating: "-", count: column.width - 1) + ":"
        }
        return [line(columns.map(\.name)), row(rules)]
    }

    func line(_ values: [String]) -> String {
        row(
            zip(values, columns).enumerated().map { index, cell in
                Self.pad(cell.0, cell.1.width, left: index == 0)
            })
    }

    private func row(_ cells: [String]) -> String {
        "| " + cells.joined(separator: " | ") + " |"
    }

    private static func pad(_ text: String, _ width: Int, left: Bool) -> String {
        let space = String(repeating: " ", count: max(0, width - text.count))
        return left ? text + space : space + text
    }

    static func hundredths(_ value: Double) -> String {
        let whole = Int((abs(value) * 100).rounded())
        return "\(value < 0 ? "-" : "")\(whole / 100).\(whole / 10 % 10)\(whole % 10)"
    }
}
