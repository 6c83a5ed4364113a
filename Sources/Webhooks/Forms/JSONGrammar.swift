/// The grammar of JSON (RFC 8259), for texts of strangers of which only the form counts.
struct JSONGrammar {
    private static let deepest = 32

    private let bytes: [UInt8]
    private var next = 0

    /// Whether bytes are one object, and nothing but blanks beside it.
    static func isObject(_ bytes: [UInt8]) -> Bool {
        var grammar = JSONGrammar(bytes: bytes)
        grammar.skipBlanks()
        guard grammar.peek == UInt8(ascii: "{"), grammar.takeValue(depth: 0) else { return false }
        grammar.skipBlanks()
        return grammar.next == bytes.count && String(validating: bytes, as: UTF8.self) != nil
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    private var peek: UInt8? { next < bytes.count ? bytes[next] : nil }

    private mutating func skipBlanks() {
        while let byte = peek, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { next += 1 }
    }

    private mutating func take(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard bytes[next...].prefix(count).elementsEqual("\(text)".utf8) else { return false }
        next += count
        return true
    }

    private mutating func takeValue(depth: Int) -> Bool {
        guard depth < Self.deepest, let byte = peek else { return false }
        switch byte {
        case UInt8(ascii: "{"): return takeItems(depth, end: "}", named: true)
        case UInt8(ascii: "["): return takeItems(depth, end: "]", named: false)
        case UInt8(ascii: "\""): return takeString()
        case UInt8(ascii: "t"): return take("true")
        case UInt8(ascii: "f"): return take("false")
        case UInt8(ascii: "n"): return take("null")
        default: return takeNumber()
        }
    }

    private mutating func takeItems(_ depth: Int, end: StaticString, named: Bool) -> Bool {
        next += 1
        skipBlanks()
        if take(end) { return true }
        while true {
            skipBlanks()
            if named {
                guard takeString() else { return false }
                skipBlanks()
                guard take(":") else { return false }
                skipBlanks()
            }
            guard takeValue(depth: depth + 1) else { return false }
            skipBlanks()
            if take(end) { return true }
            guard take(",") else { return false }
        }
    }

    private mutating func takeString() -> Bool {
        guard take("\"") else { return false }
        while let byte = peek {
            next += 1
            switch byte {
            case UInt8(ascii: "\""): return true
            case ..<0x20: return false
            case UInt8(ascii: "\\"):
                guard let escape = peek else { return false }
                next += 1
                if escape == UInt8(ascii: "u") {
                    let digits = bytes[next...].prefix(4)
                    guard digits.count == 4, digits.allSatisfy({ Self.isHexadecimal($0) }) else {
                        return false
                    }
                    next += 4
                } else if !#""\/bfnrt"#.utf8.contains(escape) {
                    return false
                }
            default: break
            }
        }
        return false
    }

    private mutating func takeNumber() -> Bool {
        _ = take("-")
        guard let first = peek, Self.isDigit(first) else { return false }
        if first == UInt8(ascii: "0") { next += 1 } else { takeDigits() }
        if take(".") { guard takeDigits() else { return false } }
        if take("e") || take("E") {
            _ = take("+") || take("-")
            return takeDigits()
        }
        return true
    }

    @discardableResult
    private mutating func takeDigits() -> Bool {
        let start = next
        while let byte = peek, Self.isDigit(byte) { next += 1 }
        return next > start
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
    }
}
