/// Columns with blanks between them.
struct PlainTable {
    let text: PlainText

    /// - Parameter page: Rows with tabs between their cells.
    init(_ page: String) {
        self.init(
            rows: page.split(separator: "\n").map { line in
                line.split(separator: "\t", omittingEmptySubsequences: false)
                    .map { PlainText($0) }
            })
    }

    init(rows: [[PlainText]]) {
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
            return cells.joined("") + "\n"
        }.joined("")
    }

    /// The columns that a text takes on a line: a colour takes none.
    private static func width(_ text: PlainText) -> Int {
        var (count, isSeen) = (0, true)
        for character in text.description {
            if character == "\u{1B}" { isSeen = false }
            if isSeen { count += columns(of: character) }
            if character == "m" { isSeen = true }
        }
        return count
    }

    /// The columns of a character: two for letters of Chinese and for pictures, none for a mark
    /// that has no letter before it.
    private static func columns(of character: Character) -> Int {
        guard let scalar = character.unicodeScalars.first else { return 0 }
        // A mark that chooses the picture of a sign, such as a red heart.
        if character.unicodeScalars.contains("\u{FE0F}") { return 2 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: break
        }
        guard scalar.value >= 0x1100 else { return 1 }
        let isWide =
            wide.contains { $0.contains(scalar.value) } || scalar.properties.isEmojiPresentation
        return isWide ? 2 : 1
    }

    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97C,
        0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
        0x20000...0x3FFFD,
    ]

    /// A text with as many blanks as make it as wide as a column.
    static func padded(_ text: PlainText, _ width: Int, isRight: Bool = false) -> PlainText {
        let blanks = PlainText(
            own: String(repeating: " ", count: max(0, width - Self.width(text))))
        return isRight ? blanks + text : text + blanks
    }
}
