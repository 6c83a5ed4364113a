/// A run of prose: a paragraph, an item of a list, or a message.
struct Prose {
    /// A word with its punctuation, and the line that it is on.
    struct Word {
        let text: String
        let line: Int

        /// The letters with which the word begins.
        var letters: Substring {
            let start = text.drop { "(*_".contains($0) }
            return start.prefix(while: \.isLetter)
        }

        /// Whether the word is more than punctuation.
        var counts: Bool { text.contains { $0.isLetter || $0.isNumber } }

        /// The word without the marks that may close a quotation or a parenthesis.
        var unclosed: Substring {
            var rest = text[...]
            while let last = rest.last, "\"')]*_".contains(last) { rest.removeLast() }
            return rest
        }

        /// Whether a sentence may begin with it, after a word that ends one.
        var mayBegin: Bool {
            guard let first = text.first else { return false }
            return first.isUppercase || first.isNumber || "\"'(*_".contains(first)
        }
    }

    /// The word that stands for a code span, or for code inside a string.
    static let code = "CODE"

    /// Words that end in a full stop and end no sentence.
    private static let abbreviations: Set<Substring> = [
        "e.g.", "(e.g.", "i.e.", "(i.e.", "etc.", "vs.", "No.",
    ]

    /// The sentences, each of one word at least.
    let sentences: [[Word]]

    init(_ lines: [(number: Int, text: String)]) {
        var sentences: [[Word]] = [[]]
        var isEnd = false
        for word in Self.words(of: lines) {
            if isEnd, word.mayBegin { sentences.append([]) }
            sentences[sentences.count - 1].append(word)
            let rest = word.unclosed
            isEnd = (rest.last.map(".!?".contains) ?? false) && !Self.abbreviations.contains(rest)
        }
        self.sentences = sentences.filter { !$0.isEmpty }
    }

    /// The words, with one ``code`` for each code span, and links as the text that a reader sees.
    private static func words(of lines: [(number: Int, text: String)]) -> [Word] {
        var words: [Word] = []
        var word: [UInt8] = []
        let text = lines.map(\.text).joined(separator: "\n").utf8.map { $0 }
        var index = 0
        var line = 0
        func end() {
            guard !word.isEmpty else { return }
            let number = lines[min(line, lines.count - 1)].number
            words.append(Word(text: String(decoding: word, as: UTF8.self), line: number))
            word.removeAll(keepingCapacity: true)
        }
        while index < text.count {
            if let (next, isCode) = spanEnd(at: index, of: text) {
                if isCode { word += Array(code.utf8) }
                // A span may go over several lines; its word is on the line where the span begins.
                let count = text[index..<next].count { $0 == UInt8(ascii: "\n") }
                if count > 0 { end() }
                line += count
                index = next
                continue
            }
            switch text[index] {
            case UInt8(ascii: "\n"):
                end()
                line += 1
            case UInt8(ascii: " "), UInt8(ascii: "\t"): end()
            case UInt8(ascii: "["): break
            case let byte: word.append(byte)
            }
            index += 1
        }
        end()
        return words
    }

    /// The index after the code span, or after the address of the link, that begins at `index`.
    private static func spanEnd(at index: Int, of text: [UInt8]) -> (next: Int, isCode: Bool)? {
        if text[index] == UInt8(ascii: "`") {
            let ticks = text[index...].prefix { $0 == UInt8(ascii: "`") }.count
            var next = index + ticks
            while next < text.count {
                let run = text[next...].prefix { $0 == UInt8(ascii: "`") }.count
                if run == ticks { return (next + run, true) }
                next += max(run, 1)
            }
            return nil
        }
        guard text[index] == UInt8(ascii: "]"), index + 1 < text.count,
            text[index + 1] == UInt8(ascii: "("),
            let close = text[index...].firstIndex(of: UInt8(ascii: ")"))
        else { return nil }
        return (close + 1, false)
    }
}

extension Prose {
    /// The paragraphs and items of a text in Markdown, without headings, tables and fenced code.
    static func paragraphs(of lines: [(number: Int, text: String)]) -> [Prose] {
        var found: [Prose] = []
        var open: [(number: Int, text: String)] = []
        var isFenced = false
        func end() {
            if !open.isEmpty { found.append(Prose(open)) }
            open = []
        }
        for line in lines {
            let text = line.text.drop(while: \.isWhitespace)
            let isFence = text.hasPrefix("```")
            if isFence { isFenced.toggle() }
            if isFence || isFenced || text.isEmpty || text.hasPrefix("|") || text.hasPrefix("#")
                || text.hasPrefix("MARK:")
            {
                end()
            } else if let item = itemText(of: text) {
                end()
                open = [(line.number, String(item))]
            } else {
                open.append((line.number, String(text)))
            }
        }
        end()
        return found
    }

    /// The text of a list item without its mark and its label, such as `- Parameter name:`.
    private static func itemText(of line: Substring) -> Substring? {
        let digits = line.prefix(while: \.isNumber)
        var rest: Substring
        if line.hasPrefix("- ") || line.hasPrefix("* ") {
            rest = line.dropFirst(2)
        } else if !digits.isEmpty, line.dropFirst(digits.count).hasPrefix(". ") {
            rest = line.dropFirst(digits.count + 2)
        } else {
            return nil
        }
        for label in ["Parameters:", "Parameter ", "Returns:", "Throws:"]
        where rest.hasPrefix(label) {
            rest = rest.dropFirst(label.count)
        }
        rest = rest.drop { $0 == " " }
        let name = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
        if !name.isEmpty, rest.dropFirst(name.count).hasPrefix(":") {
            rest = rest.dropFirst(name.count + 1)
        }
        return rest.drop { $0 == " " }
    }

    /// The prose of a file's comments; a comment after code on the same line is a paragraph of its
    /// own.
    static func comments(of file: SourceFile) -> [Prose] {
        var found: [Prose] = []
        var block: [(number: Int, text: String)] = []
        var blockMark = ""
        func end() {
            if !block.isEmpty { found += paragraphs(of: block) }
            block = []
        }
        for number in file.lines.indices.dropFirst() {
            let line = file.lines[number]
            guard !line.comment.isEmpty else {
                end()
                continue
            }
            let mark = line.comment.prefix { "/*".contains($0) }
            let text = (number, String(line.comment.dropFirst(mark.count)))
            guard line.code.allSatisfy(\.isWhitespace) else {
                end()
                found += paragraphs(of: [text])
                continue
            }
            if mark != blockMark { end() }
            blockMark = String(mark)
            block.append(text)
        }
        end()
        return found
    }

    /// The prose of a file's string literals of `words` words or more.
    static func messages(of file: SourceFile, words: Int) -> [Prose] {
        file.literals.flatMap { literal -> [Prose] in
            guard literal.text.split(whereSeparator: \.isWhitespace).count >= words
            else { return [] }
            let lines = literal.text.split(separator: "\n", omittingEmptySubsequences: false)
            return paragraphs(
                of: lines.enumerated().map { (literal.line + $0.offset, String($0.element)) })
        }
    }
}
