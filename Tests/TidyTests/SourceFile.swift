/// A Swift file as the checks see it: its lines, each with its code and its comments apart.
struct SourceFile {
    struct Line {
        /// The line as it is written.
        var text = ""

        /// The line without comments, and with the contents of its string literals left out.
        var code = ""

        /// The text of the line's comments, with their marks.
        var comment = ""
    }

    /// A word, a number or one mark of punctuation of the code, and the line that it is on.
    struct Token: Equatable {
        let text: String
        let line: Int
    }

    /// A string literal, and the line where it begins; literals joined by `+` are one.
    struct Literal: Equatable {
        /// The text with its escapes resolved, and ``Prose/code`` for each piece of code in it.
        var text: String
        let line: Int
    }

    /// The path from the package's folder on.
    let path: String

    /// The first line has number 1; index 0 is never used.
    let lines: [Line]

    /// The code of all lines.
    let tokens: [Token]

    /// The string literals, in the order in which they begin.
    let literals: [Literal]

    init(path: String, text: String) {
        self.path = path
        var splitter = CodeSplitter(text)
        lines = [Line()] + splitter.split()
        tokens = Self.tokens(of: lines)
        literals = splitter.literals
    }

    /// The name of the folder below `Sources` or `Tests` that holds the file, or nil.
    var target: String? {
        let parts = path.split(separator: "/")
        return parts.count > 2 ? String(parts[1]) : nil
    }

    private static func tokens(of lines: [Line]) -> [Token] {
        var tokens: [Token] = []
        for (number, line) in lines.enumerated() {
            let bytes = Array(line.code.utf8)
            var offset = 0
            while offset < bytes.count {
                let start = offset
                while offset < bytes.count, isPartOfWord[Int(bytes[offset])] { offset += 1 }
                if offset == start { offset += 1 }
                guard bytes[start] != UInt8(ascii: " ") else { continue }
                tokens.append(
                    Token(
                        text: String(decoding: bytes[start..<offset], as: UTF8.self), line: number)
                )
            }
        }
        return tokens
    }

    /// For each byte, whether it belongs to a word; a table, because every byte of code is looked
    /// up.
    private static let isPartOfWord: [Bool] = (0...UInt8.max).map { byte in
        switch UnicodeScalar(byte) {
        case "a"..."z", "A"..."Z", "0"..."9", "_": true
        default: byte >= 0x80
        }
    }
}
