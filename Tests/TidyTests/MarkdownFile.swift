import Foundation

/// A document as the checks see it: its headings, links and tables, without code.
struct MarkdownFile {
    /// A heading, and the place in a page to which a link with an anchor leads.
    struct Heading: Equatable {
        let level: Int
        let text: String
        let anchor: String
        let line: Int
    }

    /// A link as it is written: the target with its anchor, if it has one.
    struct Link: Equatable {
        let target: String
        let line: Int
    }

    /// A row of a table below its header, with the text of the heading above the table.
    struct Row: Equatable {
        let section: String
        let cells: [String]
        let line: Int
    }

    /// The path from the package's folder on.
    let path: String

    /// All lines as they are written; the first line has index 0.
    let lines: [String]

    let headings: [Heading]
    let links: [Link]
    let rows: [Row]

    init(path: String, text: String) {
        self.path = path
        lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        var headings: [Heading] = []
        var links: [Link] = []
        var rows: [Row] = []
        var fence: Substring?
        var isInTable = false
        for (index, line) in lines.enumerated() {
            let content = line.drop(while: \.isWhitespace)
            if let mark = Self.fence(of: content), fence == nil || fence == mark {
                fence = fence == nil ? mark : nil
                continue
            }
            if fence != nil { continue }
            if let heading = Self.heading(content, line: index + 1, after: headings) {
                headings.append(heading)
            }
            links += Self.targets(in: content).map { Link(target: $0, line: index + 1) }
            let isRow = content.first == "|"
            if isRow, isInTable, !Self.isRule(content) {
                let section = headings.last?.text ?? ""
                rows.append(Row(section: section, cells: Self.cells(content), line: index + 1))
            }
            // The first line of a table is its header.
            isInTable = isRow
        }
        self.headings = headings
        self.links = links
        self.rows = rows
    }

    /// The lines between a heading and the next heading of the same or a higher level.
    func lines(below heading: Heading) -> ArraySlice<String> {
        let next = headings.first { $0.line > heading.line && $0.level <= heading.level }
        return lines[heading.line..<(next.map { $0.line - 1 } ?? lines.count)]
    }

    // MARK: Parts of lines

    private static func fence(of content: Substring) -> Substring? {
        ["```", "~~~"].first { content.hasPrefix($0) }
    }

    private static func heading(
        _ content: Substring, line: Int, after earlier: [Heading]
    ) -> Heading? {
        let level = content.prefix { $0 == "#" }.count
        let rest = content.dropFirst(level)
        guard (1...6).contains(level), rest.first == " " else { return nil }
        let text = rest.trimmingCharacters(in: .whitespaces)
        let plain = anchor(of: text)
        let count = earlier.count { anchor(of: $0.text) == plain }
        return Heading(
            level: level, text: text, anchor: count == 0 ? plain : "\(plain)-\(count)", line: line)
    }

    /// The anchor that sites which show repositories make of a heading.
    static func anchor(of heading: String) -> String {
        String(
            withoutTargets(heading).lowercased().compactMap { character in
                switch character {
                case " ": "-"
                case "-", "_": character
                default: character.isLetter || character.isNumber ? character : nil
                }
            })
    }

    /// The line with each `[text](target)` replaced by its `text`.
    private static func withoutTargets(_ text: String) -> String {
        var result = ""
        var rest = text[...]
        while let end = rest.firstRange(of: "](") {
            result += rest[..<end.lowerBound]
            rest = rest[end.upperBound...].drop { $0 != ")" }.dropFirst()
        }
        return result + rest
    }

    private static func targets(in content: Substring) -> [String] {
        var found: [String] = []
        var rest = withoutCode(content)[...]
        if rest.first == "[", let mark = rest.firstRange(of: "]: "), !rest.contains("](") {
            found.append(String(rest[mark.upperBound...].prefix { $0 != " " }))
        }
        while let start = rest.firstRange(of: "](") {
            rest = rest[start.upperBound...]
            found.append(String(rest.prefix { $0 != ")" && $0 != " " }))
        }
        return found
    }

    /// The line with the contents of its code spans left out.
    private static func withoutCode(_ content: Substring) -> String {
        let parts = content.split(separator: "`", omittingEmptySubsequences: false)
        return parts.enumerated().filter { $0.offset % 2 == 0 }.map { String($0.element) }
            .joined(separator: "``")
    }

    private static func cells(_ content: Substring) -> [String] {
        var cells = content.split(separator: "|", omittingEmptySubsequences: false)
        cells.removeFirst()
        if cells.last?.allSatisfy(\.isWhitespace) == true { cells.removeLast() }
        return cells.map { $0.trimmingCharacters(in: .whitespaces) }
    }

    /// Whether a row is the one between a header and the rows below it.
    private static func isRule(_ content: Substring) -> Bool {
        content.contains("-") && content.allSatisfy { "|:- ".contains($0) }
    }
}
