/// Columns with blanks between them.
struct PlainTable {
    let text: String

    /// - Parameter page: Rows with tabs between their cells.
    init(_ page: String) {
        self.init(
            rows: page.split(separator: "\n").map { line in
                line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            })
    }

    init(rows: [[String]]) {
        var widths: [Int] = []
        for row in rows {
            for (column, cell) in row.enumerated() {
                if column == widths.count { widths.append(0) }
                widths[column] = max(widths[column], Self.width(cell))
            }
        }
        text = rows.map { row in
            let cells = row.enumerated().map { column, cell in
                column == row.count - 1 ? cell : Self.padded(cell, widths[column] + 2)
            }
            return cells.joined() + "\n"
        }.joined()
    }

    /// A text without characters that end a cell or a line, or move a terminal's cursor.
    static func plain(_ text: String) -> String {
        let scalars = text.unicodeScalars.map { scalar in
            let kind = scalar.properties.generalCategory
            let isShown = kind != .control && kind != .lineSeparator && kind != .paragraphSeparator
            return isShown ? scalar : "?"
        }
        return String(String.UnicodeScalarView(scalars))
    }

    /// The characters that are seen: a colour takes no place.
    private static func width(_ text: String) -> Int {
        guard text.contains("\u{1B}") else { return text.count }
        var (count, isSeen) = (0, true)
        for character in text {
            if character == "\u{1B}" { isSeen = false }
            if isSeen { count += 1 }
            if character == "m" { isSeen = true }
        }
        return count
    }

    /// A text with as many blanks as make it as wide as a column.
    static func padded(_ text: String, _ width: Int, isRight: Bool = false) -> String {
        let blanks = String(repeating: " ", count: max(0, width - Self.width(text)))
        return isRight ? blanks + text : text + blanks
    }
}
