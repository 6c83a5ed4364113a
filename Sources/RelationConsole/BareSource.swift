/// A script or a style as a browser gets it: without comments and blanks at the beginning of lines.
///
/// Each line stays where it is, so an error names the line of the source. A text must not go over
/// the end of a line, since it would lose blanks: a test holds the scripts to that.
enum BareSource {
    private static let lineEnd = UInt8(ascii: "\n")
    private static let blank = UInt8(ascii: " ")
    /// The beginning of a type in a comment, in a line after code.
    private static let type = Array("/** @".utf8)
    /// The signs around a text, or around a template.
    private static let quotes = Set("'\"`".utf8)
    private static let template = UInt8(ascii: "`")
    /// The first sign of comments, and of divisions and expressions.
    private static let stop = UInt8(ascii: "/")
    /// No blank after the one, or before the other, means anything in code.
    private static let ends = Set(",;:{}()=?&|<>[]*".utf8)
    private static let begins = Set("{}()=?&|:<>[]*!".utf8)
    /// The same signs of a style, in which a blank before a colon or a bracket means something.
    private static let (endsOfStyle, beginsOfStyle) = (Set(",;:{}".utf8), Set("{}".utf8))

    /// A source without these comments and blanks.
    ///
    /// A comment that begins in a line after code stays, but for the types of a script. A
    /// semicolon goes if the next line that is left begins with the end of a block: no statement
    /// may be empty.
    ///
    /// - Parameter isScript: Whether types in comments after code go too, and the blanks between
    ///   the signs of a script in place of those of a style.
    static func of(_ source: [UInt8], isScript: Bool = false) -> [UInt8] {
        var bare: [UInt8] = []
        bare.reserveCapacity(source.count)
        var isInComment = false
        for line in source.split(separator: lineEnd, omittingEmptySubsequences: false) {
            var rest = line.drop(while: isBlank)
            isInComment = isInComment || rest.starts(with: "/*".utf8)
            if isInComment, let end = endOfComment(in: rest) {
                rest = rest[end...].drop(while: isBlank)
                isInComment = false
            } else if isInComment || rest.starts(with: "//".utf8) {
                rest = []
            }
            // The end of a block ends the statement before it.
            if rest.first == UInt8(ascii: "}"), let last = bare.lastIndex(where: { $0 != lineEnd }),
                bare[last] == UInt8(ascii: ";")
            {
                bare.remove(at: last)
            }
            bare +=
                isScript
                ? compact(withoutTypes(rest), ends, begins)
                : compact(Array(rest), endsOfStyle, beginsOfStyle)
            bare.append(lineEnd)
        }
        // Behind the last end of a line there is one part more.
        bare.removeLast()
        return bare
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == blank }

    /// The index after the first `*/`.
    private static func endOfComment(in line: ArraySlice<UInt8>) -> Int? {
        line.indices.dropLast().first {
            line[$0] == UInt8(ascii: "*") && line[$0 + 1] == UInt8(ascii: "/")
        }.map { $0 + 2 }
    }

    /// A line without the types in its comments, each with one blank after it.
    private static func withoutTypes(_ line: ArraySlice<UInt8>) -> [UInt8] {
        var kept: [UInt8] = []
        var rest = line
        while let first = rest.first {
            if rest.starts(with: type), let end = endOfComment(in: rest) {
                rest = rest[end...]
                if rest.first == blank { rest = rest.dropFirst() }
            } else {
                kept.append(first)
                rest = rest.dropFirst()
            }
        }
        return kept
    }

    /// A line without the blanks between signs, up to its first comment or division.
    ///
    /// Texts in quotes stay as they are, and a template in which there may be another one ends it.
    /// Behind a bracket that an earlier line has opened there may be the rest of a template, which
    /// ends in the line or goes on with an expression. A semicolon before the end of a block goes.
    private static func compact(
        _ line: [UInt8], _ ends: Set<UInt8>, _ begins: Set<UInt8>
    ) -> [UInt8] {
        var kept: [UInt8] = []
        let hasTemplate = line.contains(template) || line.contains(UInt8(ascii: "$"))
        var open = 0
        var index = 0
        while index < line.count, line[index] != stop {
            if quotes.contains(line[index]) {
                guard let end = endOfText(in: line, from: index) else { break }
                let text = line[index..<end]
                let isWhole =
                    text.count { $0 == UInt8(ascii: "{") }
                    == text.count { $0 == UInt8(ascii: "}") }
                guard line[index] != template || isWhole else { break }
                kept += text
                index = end
                continue
            }
            if line[index] == UInt8(ascii: "{") { open += 1 }
            if line[index] == UInt8(ascii: "}") {
                open -= 1
                if kept.last == UInt8(ascii: ";") { kept.removeLast() }
            }
            guard open >= 0 || !hasTemplate else { break }
            let follows = index > 0 && ends.contains(line[index - 1])
            let precedes = index + 1 < line.count && begins.contains(line[index + 1])
            if line[index] != blank || !(follows || precedes) { kept.append(line[index]) }
            index += 1
        }
        return kept + line[index...]
    }

    /// The index after a text in quotes; nil if it does not end in the line.
    private static func endOfText(in line: [UInt8], from begin: Int) -> Int? {
        var index = begin + 1
        while index < line.count, line[index] != line[begin] {
            // A sign after a backslash ends nothing.
            index += line[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return index < line.count ? index + 1 : nil
    }
}
