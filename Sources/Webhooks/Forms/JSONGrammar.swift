/// The grammar of JSON (RFC 8259), for untrusted texts of which only the form counts.
struct JSONGrammar {
    private static let deepest = 32

    private let bytes: [UInt8]
    private var next = 0

    /// Whether bytes are one object, and nothing but blanks beside it.
    static func isObject(_ bytes: [UInt8]) -> Bool {
        var grammar = JSONGrammar(bytes: bytes)
        grammar.skipBlanks()
        guard grammar.peek == UInt8(ascii: "{"), grammar.consumeValue(depth: 0) else {
            return false
        }
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

    private mutating func consume(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard bytes[next...].prefix(count).elementsEqual("\(text)".utf8) else { return false }
        next += count
        return true
    }

    private mutating func consumeValue(depth: Int) -> Bool {
        guard depth < Self.deepest, let byte = peek else { return false }
        switch byte {
        case UInt8(ascii: "{"): return consumeItems(depth, end: "}", named: true)
        case UInt8(ascii: "["): return consumeItems(depth, end: "]", named: false)
        case UInt8(ascii: "\""): return consumeString()
        case UInt8(ascii: "t"): return consume("true")
        case UInt8(ascii: "f"): return consume("false")
        case UInt8(ascii: "n"): return consume("null")
        default: return consumeNumber()
        }
    }

    private mutating func consumeItems(_ depth: Int, end: StaticString, named: Bool) -> Bool {
        next += 1
        skipBlanks()
        if consume(end) { return true }
        while true {
            skipBlanks()
            if named {
                guard consumeString() else { return false }
                skipBlanks()
                guard consume(":") else { return false }
                skipBlanks()
            }
            guard consumeValue(depth: depth + 1) else { return false }
            skipBlanks()
            if consume(end) { return true }
            guard consume(",") else { return false }
        }
    }

    private mutating func consumeString() -> Bool {
        guard consume("\"") else { return false }
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

    private mutating func consumeNumber() -> Bool {
        _ = consume("-")
        guard let first = peek, Self.isDigit(first) else { return false }
        if first == UInt8(ascii: "0") { next += 1 } else { consumeDigits() }
        if consume(".") { guard consumeDigits() else { return false } }
        if consume("e") || consume("E") {
            _ = consume("+") || consume("-")
            return consumeDigits()
        }
        return true
    }

    @discardableResult
    private mutating func consumeDigits() -> Bool {
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
