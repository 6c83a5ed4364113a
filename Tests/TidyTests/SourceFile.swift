/// A Swift file as the checks see it: its lines, and in each what is code and what is comment.
struct SourceFile {
    struct Line {
        /// The line as it is written.
        var text = ""

        /// The line without comments, and with the contents of its string literals left out.
        var code = ""

        /// The text of the line's comments, with their marks.
        var comment = ""
    }

    /// A word, a number or one mark of punctuation of the code, and the line where it stands.
    struct Token: Equatable {
        let text: String
        let line: Int
    }

    /// From the package's folder on.
    let path: String

    /// The first line has number 1; index 0 is never used.
    let lines: [Line]

    /// The code of all lines.
    let tokens: [Token]

    init(path: String, text: String) {
        self.path = path
        var splitter = CodeSplitter(text)
        lines = [Line()] + splitter.split()
        tokens = Self.tokens(of: lines)
    }

    /// The name of the folder below `Sources` or `Tests` that holds the file, or nil.
    var room: String? {
        let parts = path.split(separator: "/")
        return parts.count > 2 ? String(parts[1]) : nil
    }

    private static func tokens(of lines: [Line]) -> [Token] {
        var tokens: [Token] = []
        for (number, line) in lines.enumerated() {
            var word: [UInt8] = []
            for byte in line.code.utf8 + [UInt8(ascii: " ")] {
                if isPartOfWord(byte) {
                    word.append(byte)
                    continue
                }
                if !word.isEmpty {
                    tokens.append(Token(text: String(decoding: word, as: UTF8.self), line: number))
                    word.removeAll(keepingCapacity: true)
                }
                if byte != UInt8(ascii: " ") {
                    tokens.append(Token(text: String(UnicodeScalar(byte)), line: number))
                }
            }
        }
        return tokens
    }

    private static func isPartOfWord(_ byte: UInt8) -> Bool {
        switch UnicodeScalar(byte) {
        case "a"..."z", "A"..."Z", "0"..."9", "_": true
        default: byte >= 0x80
        }
    }
}
