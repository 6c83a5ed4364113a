import Protobuf

/// A value of JSON as YAML, with each member on a line of its own.
///
/// Every text that is more than a name stands in quotes, as JSON has it: so no reader takes it for
/// a number, a date or a word such as `no`.
struct YAMLText {
    let text: String

    init(_ value: JSONValue) {
        text = Self.lines(value).joined(separator: "\n")
    }

    private static func lines(_ value: JSONValue) -> [String] {
        switch value {
        case .object(let members) where !members.isEmpty:
            return members.flatMap { member -> [String] in
                let key = name(member.key)
                if let short = short(member.value) { return ["\(key): \(short)"] }
                return ["\(key):"] + lines(member.value).map { "  " + $0 }
            }
        case .array(let items) where !items.isEmpty:
            return items.flatMap { item -> [String] in
                if let short = short(item) { return ["- \(short)"] }
                return lines(item).enumerated().map { ($0.offset == 0 ? "- " : "  ") + $0.element }
            }
        default: return [short(value) ?? ""]
        }
    }

    /// A value that fits after its name; nil for one that has lines of its own.
    private static func short(_ value: JSONValue) -> String? {
        switch value {
        case .array(let items) where !items.isEmpty: nil
        case .object(let members) where !members.isEmpty: nil
        case .string(let text): name(text)
        default: JSONText(value).compact
        }
    }

    /// A text as it is if it is a name of the contract, such as FRIEND_STATUS_SUCC; else in quotes.
    private static func name(_ text: String) -> String {
        guard text.utf8.count > 1, let first = text.utf8.first, isLetter(first),
            text.utf8.allSatisfy({ isLetter($0) || isDigit($0) || $0 == UInt8(ascii: "_") }),
            !words.contains(text.lowercased())
        else { return quoted(text) }
        return text
    }

    /// A text in quotes, as JSON has it.
    ///
    /// But JSON escapes a letter beyond 16 bits in two halves, and YAML in one. A stream of YAML
    /// may not have U+FFFE and U+FFFF, which JSON has as they are.
    private static func quoted(_ text: String) -> String {
        var quoted = ""
        for scalar in text.unicodeScalars {
            if scalar.value > 0xFFFF, JSONQuote.isHidden(scalar) {
                let digits = String(scalar.value, radix: 16)
                quoted += "\\U" + String(repeating: "0", count: 8 - digits.count) + digits
            } else if (0xFFFE...0xFFFF).contains(scalar.value) {
                quoted += "\\u" + String(scalar.value, radix: 16)
            } else {
                quoted += JSONText.quoted(String(scalar)).dropFirst().dropLast()
            }
        }
        return "\"\(quoted)\""
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    /// The names that a reader of YAML takes for something else than a text.
    private static let words: Set<String> = ["true", "false", "yes", "no", "on", "off", "null"]
}
