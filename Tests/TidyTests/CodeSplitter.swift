/// Tells code, comments and string literals apart.
///
/// It knows nested comments, raw and multi-line strings, and code inside strings. Regular
/// expression literals it does not know, and this project has none.
struct CodeSplitter {
    private enum Part {
        case code
        case comment
        case none
    }

    private enum Context {
        /// Code; `depth` counts the parentheses open since it began inside a string.
        case code(depth: Int)
        case string(hashes: Int, isLong: Bool)
    }

    /// The file's bytes: what tells the parts apart is ASCII, so the others pass through whole.
    private let bytes: [UInt8]
    private var place = 0
    private var contexts: [Context] = [.code(depth: 0)]
    private var lines: [SourceFile.Line] = []
    private var text: [UInt8] = []
    private var code: [UInt8] = []
    private var comment: [UInt8] = []

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    mutating func split() -> [SourceFile.Line] {
        while place < bytes.count {
            switch contexts[contexts.count - 1] {
            case .code(let depth): readCode(depth)
            case .string(let hashes, let isLong): readString(hashes, isLong)
            }
        }
        if !text.isEmpty { endLine() }
        return lines
    }

    private mutating func readCode(_ depth: Int) {
        if sees("//") {
            while place < bytes.count, !sees("\n") { take(to: .comment) }
        } else if sees("/*") {
            readBlockComment()
        } else if let hashes = hashesBeforeQuote() {
            let isLong = sees("\"\"\"", after: hashes)
            contexts.append(.string(hashes: hashes, isLong: isLong))
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
        take(to: .code)
    }

    private mutating func readBlockComment() {
        var depth = 0
        repeat {
            let step = sees("/*") ? 1 : sees("*/") ? -1 : 0
            depth += step
            for _ in 0..<(step == 0 ? 1 : 2) { take(to: .comment) }
        } while depth > 0 && place < bytes.count
    }

    private mutating func readString(_ hashes: Int, _ isLong: Bool) {
        let quotes = isLong ? 3 : 1
        if sees("\\"), seesHashes(hashes, after: 1) {
            if sees("(", after: hashes + 1) { contexts.append(.code(depth: 0)) }
            skip(hashes + 2)
        } else if sees(isLong ? "\"\"\"" : "\""), seesHashes(hashes, after: quotes) {
            contexts.removeLast()
            skip(hashes + quotes)
            code.append(UInt8(ascii: "\""))
        } else {
            skip(1)
        }
    }

    /// How many number signs stand here before a quotation mark, or nil if none follows.
    private func hashesBeforeQuote() -> Int? {
        var hashes = 0
        while sees("#", after: hashes) { hashes += 1 }
        return sees("\"", after: hashes) ? hashes : nil
    }

    private func seesHashes(_ count: Int, after offset: Int) -> Bool {
        (0..<count).allSatisfy { sees("#", after: offset + $0) }
    }

    private func sees(_ wanted: StaticString, after offset: Int = 0) -> Bool {
        guard place + offset + wanted.utf8CodeUnitCount <= bytes.count else { return false }
        return wanted.withUTF8Buffer { wanted in
            for (index, byte) in wanted.enumerated() where bytes[place + offset + index] != byte {
                return false
            }
            return true
        }
    }

    private mutating func skip(_ count: Int) {
        for _ in 0..<count { take(to: .none) }
    }

    /// Goes on by a byte, which is kept in the line's text and in one of its parts.
    private mutating func take(to part: Part) {
        guard place < bytes.count else { return }
        let byte = bytes[place]
        place += 1
        guard byte != UInt8(ascii: "\n") else { return endLine() }
        text.append(byte)
        switch part {
        case .code: code.append(byte)
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
