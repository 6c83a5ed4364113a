/// A table of figures whose columns are aligned in plain text, and that is Markdown too.
struct TextTable<Row> {
    typealias Column = (name: String, width: Int, cell: (Row) -> String)

    private let columns: [Column]

    /// - Parameter columns: The first one is aligned to the left, all others to the right.
    init(_ columns: [Column]) { self.columns = columns }

    init(_ columns: Column...) { self.columns = columns }

    var header: [String] {
        let rules = columns.enumerated().map { index, column in
            String(repeating: "-", count: column.width - min(index, 1)) + (index == 0 ? "" : ":")
        }
        return [line(columns.map(\.name)), line(rules)]
    }

    func line(_ row: Row) -> String { line(columns.map { $0.cell(row) }) }

    /// The whole table; none without rows.
    func lines(_ rows: [Row]) -> [String] { rows.isEmpty ? [] : header + rows.map(line) }

    private func line(_ cells: [String]) -> String {
        let padded = zip(cells, columns).enumerated().map { index, cell in
            let space = String(repeating: " ", count: max(0, cell.1.width - cell.0.count))
            return index == 0 ? cell.0 + space : space + cell.0
        }
        return "| " + padded.joined(separator: " | ") + " |"
    }
}

extension Double {
    /// The number with two digits after its point.
    var hundredths: String {
        let whole = Int((abs(self) * 100).rounded())
        return "\(self < 0 ? "-" : "")\(whole / 100).\(whole / 10 % 10)\(whole % 10)"
    }

    /// The number without digits after its point.
    var whole: String { "\(Int(rounded()))" }

    /// The share as a reader writes it.
    var percent: String { (self * 100).hundredths + " %" }
}

extension Duration {
    var microseconds: Int { Int(self / .microseconds(1)) }

    /// This time as a part of another one, both in whole microseconds.
    func ofOther(_ other: Duration) -> Double {
        Double(microseconds) / Double(max(1, other.microseconds))
    }
}
