/// A value that can be written as JSON.
enum JSON {
    case object([(String, JSON)])
    case list([JSON])
    case text(String)
    case number(Double)
    case flag(Bool)
    case none

    static func number(_ value: Int?) -> JSON { value.map { .number(Double($0)) } ?? .none }

    /// The value as text, with a line for each member of an object or a list.
    func written(indent: String = "") -> String {
        let inner = indent + "  "
        switch self {
        case .object(let members):
            let lines = members.map { name, value in
                inner + Self.quoted(name) + ": " + value.written(indent: inner)
            }
            return Self.joined(lines, "{", "}", indent)
        case .list(let values):
            return Self.joined(
                values.map { inner + $0.written(indent: inner) }, "[", "]", indent)
        case .text(let text): return Self.quoted(text)
        case .number(let value): return Self.number(value)
        case .flag(let value): return value ? "true" : "false"
        case .none: return "null"
        }
    }

    private static func joined(
        _ lines: [String], _ begin: String, _ end: String, _ indent: String
    ) -> String {
        guard !lines.isEmpty else { return begin + end }
        return begin + "\n" + lines.joined(separator: ",\n") + "\n" + indent + end
    }

    /// A number with at most three digits behind its point.
    private static func number(_ value: Double) -> String {
        guard value.isFinite, abs(value) < 1e15 else { return "null" }
        let rounded = (value * 1_000).rounded() / 1_000
        return rounded == rounded.rounded() ? "\(Int(rounded))" : "\(rounded)"
    }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
