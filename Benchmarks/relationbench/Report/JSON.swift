/// A value that can be written as JSON.
protocol JSON {
    /// The value as text, with a line for each member of an object or a list.
    ///
    /// - Parameter indent: The space before the line that ends the value.
    func written(_ indent: String) -> String
}

/// A list of names with their values, in their order.
struct ReportObject: JSON, ExpressibleByDictionaryLiteral {
    private var members: [(String, any JSON)]

    init(_ members: [(String, any JSON)]) { self.members = members }

    init(_ members: [(name: String, value: String)]) {
        self.members = members.map { ($0.name, $0.value) }
    }

    init(dictionaryLiteral members: (String, any JSON)...) { self.members = members }

    func written(_ indent: String = "") -> String {
        let lines = members.map { "\($0.written("")): \($1.written(indent + "  "))" }
        return lines.block("{", "}", indent)
    }
}

extension Array: JSON where Element: JSON {
    func written(_ indent: String) -> String {
        map { $0.written(indent + "  ") }.block("[", "]", indent)
    }
}

extension [String] {
    fileprivate func block(_ begin: String, _ end: String, _ indent: String) -> String {
        guard !isEmpty else { return begin + end }
        return begin + map { "\n\(indent)  \($0)" }.joined(separator: ",") + "\n\(indent)\(end)"
    }
}

extension Optional: JSON where Wrapped: JSON {
    func written(_ indent: String) -> String { self?.written(indent) ?? "null" }
}

extension Bool: JSON {
    func written(_ indent: String) -> String { "\(self)" }
}

extension Int: JSON {
    func written(_ indent: String) -> String { "\(self)" }
}

extension Double: JSON {
    /// With at most three digits behind the point.
    func written(_ indent: String) -> String {
        guard isFinite, abs(self) < 1e15 else { return "null" }
        let rounded = (self * 1_000).rounded() / 1_000
        return rounded == rounded.rounded() ? "\(Int(rounded))" : "\(rounded)"
    }
}

extension String: JSON {
    func written(_ indent: String) -> String {
        let scalars = unicodeScalars.map { scalar in
            switch scalar {
            case "\"", "\\": return "\\\(scalar)"
            case "\n": return "\\n"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: return String(scalar)
            }
        }
        return "\"" + scalars.joined() + "\""
    }
}
