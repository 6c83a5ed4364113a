/// Tells code, comments and string literals apart.
///
/// It knows nested comments, raw and multi-line strings, and code inside strings. It does not know
/// regular expression literals, and this project has none.
struct CodeSplitter {
    private enum Part {
        case code
        case comment
        case none
    }

    private enum Context {
        /// Code; `depth` counts the parentheses open since it began inside a string.
        case code(depth: Int)
        case string(hashes: Int, isLong: Bool, literal: Int)
    }

    /// The file's bytes: the marks that tell the parts apart are ASCII, so all other characters
    /// pass through whole.
    private let bytes: [UInt8]
    private var position = 0
    private var contexts: [Context] = [.code(depth: 0)]
    private var lines: [SourceFile.Line] = []
    private var text: [UInt8] = []
    private var code: [UInt8] = []
    private var comment: [UInt8] = []

    /// The literals so far.
    private(set) var literals: [SourceFile.Literal] = []

    /// How many `+` have come since the last literal ended; nil if other code has come, or there
    /// was not a literal.
    private var plusSigns: Int?

    /// The literal that ended last.
    private var lastLiteral = 0

    /// The bytes at which code, or the text of a string, may end or change its kind.
    ///
    /// All others are taken in runs, because a step for each byte is slow in a debug build.
    private static let codeMarks = marks("/\"#()\n")
    private static let stringMarks = marks("\\\"\n")
    private static let lineMarks = marks("\n")

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    private static func marks(_ text: String) -> [Bool] {
        var isMark = [Bool](repeating: false, count: 256)
        for byte in text.utf8 { isMark[Int(byte)] = true }
        return isMark
    }

    mutating func split() -> [SourceFile.Line] {
        while position < bytes.count {
            switch contexts[contexts.count - 1] {
            case .code(let depth): readCode(depth)
            case .string(let hashes, let isLong, let literal):
                readString(hashes, isLong, literal)
            }
        }
        if !text.isEmpty { endLine() }
        return lines
    }

    private mutating func readCode(_ depth: Int) {
        if takeRun(to: .code, until: Self.codeMarks) { return }
        if sees("//") {
            _ = takeRun(to: .comment, until: Self.lineMarks)
        } else if sees("/*") {
            readBlockComment()
        } else if let hashes = hashesBeforeQuote() {
            let isLong = sees("\"\"\"", after: hashes)
            contexts.append(.string(hashes: hashes, isLong: isLong, literal: beginLiteral()))
            code.append(UInt8(ascii: "\""))
            skip(hashes + (isLong ? 3 : 1))
        } else {
            readCodeByte(depth)
        }
    }

    private mutating func readCodeByte(_ depth: Int) {
        let top = contexts.count - 1
        if sees(")"), depth == 0, top > 0 {
            // The end of the code inside a string.
            contexts.removeLast()
            return skip(1)
        }
        if sees("(") { contexts[top] = .code(depth: depth + 1) }
        if sees(")") { contexts[top] = .code(depth: max(0, depth - 1)) }
        advance(to: .code)
    }

    private mutating func readBlockComment() {
        var depth = 0
        repeat {
            let step = sees("/*") ? 1 : sees("*/") ? -1 : 0
            depth += step
            for _ in 0..<(step == 0 ? 1 : 2) { advance(to: .comment) }
        } while depth > 0 && position < bytes.count
    }

    private mutating func readString(_ hashes: Int, _ isLong: Bool, _ literal: Int) {
        let start = position
        if takeRun(to: .none, until: Self.stringMarks) {
            literals[literal].text += String(decoding: bytes[start..<position], as: UTF8.self)
            return
        }
        let quotes = isLong ? 3 : 1
        if sees("\\"), seesHashes(hashes, after: 1) {
            readEscape(hashes, literal)
        } else if sees(isLong ? "\"\"\"" : "\""), seesHashes(hashes, after: quotes) {
            contexts.removeLast()
            skip(hashes + quotes)
            code.append(UInt8(ascii: "\""))
            plusSigns = 0
            lastLiteral = literal
        } else {
            // A mark without meaning here: a line's end, a quotation mark, or a raw backslash.
            literals[literal].text.unicodeScalars.append(UnicodeScalar(bytes[position]))
            skip(1)
        }
    }

    private mutating func readEscape(_ hashes: Int, _ literal: Int) {
        if sees("(", after: hashes + 1) {
            contexts.append(.code(depth: 0))
            plusSigns = nil
            literals[literal].text += Prose.code
        } else if sees("n", after: hashes + 1) {
            literals[literal].text += "\n"
        } else if sees("\"", after: hashes + 1) {
            literals[literal].text += "\""
        } else {
            // An escaped line end, which joins two lines, or an escape of another character.
            literals[literal].text += " "
        }
        skip(hashes + 2)
    }

    /// Begins a new literal, or goes on with the last one if only a `+` is between the two; returns
    /// its index.
    private mutating func beginLiteral() -> Int {
        if plusSigns == 1 { return lastLiteral }
        literals.append(SourceFile.Literal(text: "", line: lines.count + 1))
        return literals.count - 1
    }

    /// How many number signs are here before a quotation mark, or nil if no quotation mark follows.
    private func hashesBeforeQuote() -> Int? {
        var hashes = 0
        while sees("#", after: hashes) { hashes += 1 }
        return sees("\"", after: hashes) ? hashes : nil
    }

    private func seesHashes(_ count: Int, after offset: Int) -> Bool {
        (0..<count).allSatisfy { sees("#", after: offset + $0) }
    }

    private func sees(_ wanted: StaticString, after offset: Int = 0) -> Bool {
        guard position + offset + wanted.utf8CodeUnitCount <= bytes.count else { return false }
        return wanted.withUTF8Buffer { wanted in
            for (index, byte) in wanted.enumerated() where bytes[position + offset + index] != byte
            {
                return false
            }
            return true
        }
    }

    private mutating func skip(_ count: Int) {
        for _ in 0..<count { advance(to: .none) }
    }

    /// Goes on to the next mark; returns whether anything came before it.
    private mutating func takeRun(to part: Part, until isMark: [Bool]) -> Bool {
        let start = position
        while position < bytes.count, !isMark[Int(bytes[position])] { position += 1 }
        guard position > start else { return false }
        let run = bytes[start..<position]
        text += run
        switch part {
        case .code:
            code += run
            if plusSigns != nil { countPlusSigns(in: run) }
        case .comment: comment += run
        case .none: break
        }
        return true
    }

    private mutating func countPlusSigns(in run: ArraySlice<UInt8>) {
        for byte in run where byte != UInt8(ascii: " ") {
            guard byte == UInt8(ascii: "+") else {
                plusSigns = nil
                return
            }
            plusSigns = plusSigns.map { $0 + 1 }
        }
    }

    /// Goes on by one byte, and adds it to the line's text and to one of its parts.
    private mutating func advance(to part: Part) {
        guard position < bytes.count else { return }
        let byte = bytes[position]
        position += 1
        guard byte != UInt8(ascii: "\n") else { return endLine() }
        text.append(byte)
        switch part {
        case .code:
            code.append(byte)
            plusSigns = nil
        case .comment: comment.append(byte)
        case .none: break
        }
    }

    private mutating func endLine() {
        lines.append(
            SourceFile.Line(
                text: String(decoding: text, as: UTF8.self),
                code: String(decoding: code, as: UTF8.self),
                comment: String(decoding: comment, as: UTF8.self)))
        text = []
        code = []
        comment = []
    }
}
