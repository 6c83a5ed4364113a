import Protobuf

/// A document of a dump, read with care: members may be missing.
struct DumpDocument {
    private let members: [(key: String, value: JSONValue)]

    /// The document of a line of extended JSON; nil if the line is none.
    init?(json: [UInt8]) {
        guard let text = String(validating: json, as: UTF8.self),
            let value = try? JSONValue(parsing: text), case .object(let members) = value
        else { return nil }
        self.members = members
    }

    /// The document of BSON; nil if the bytes are none.
    init?(bson: [UInt8]) {
        var reader = BSONReader(bson)
        guard let members = reader.document(), reader.isAtEnd else { return nil }
        self.members = members
    }

    /// The document of a line of a table; nil if it has other cells than there are columns.
    init?(line: [UInt8], _ columns: [String]) {
        guard let cells = TableLine.cells(line), cells.count == columns.count else { return nil }
        members = zip(columns, cells).map { ($0, .string($1)) }
    }

    subscript(_ name: String) -> JSONValue? { members.first { $0.key == name }?.value }

    func text(_ name: String) -> String {
        if case .string(let text)? = self[name] { text } else { "" }
    }

    func number(_ name: String) -> Int64 {
        self[name].flatMap(Self.number) ?? 0
    }

    func isTrue(_ name: String) -> Bool {
        if case .bool(let isTrue)? = self[name] { isTrue } else { false }
    }

    /// A date in milliseconds since 1970; 0 for none, and for one before.
    func milliseconds(_ name: String) -> Int64 {
        min(max(moment(name) ?? 0, 0), MigrationLimits.latestMilliseconds)
    }

    /// A date in milliseconds since 1970; nil for none, and for one that rows cannot have.
    func time(_ name: String) -> Int64? {
        moment(name).flatMap { (0...MigrationLimits.latestMilliseconds).contains($0) ? $0 : nil }
    }

    private func moment(_ name: String) -> Int64? {
        switch self[name] {
        case .string(let text)?: DateText.milliseconds(text)
        case .object(let members)?:
            members.first.flatMap { $0.key == "$date" ? Self.date($0.value) : nil }
        default: nil
        }
    }

    /// The value of `$date` in extended JSON.
    private static func date(_ value: JSONValue) -> Int64? {
        if case .string(let text) = value { DateText.milliseconds(text) } else { number(value) }
    }

    /// A number as JSON or a table has it, or as extended JSON names its type.
    private static func number(_ value: JSONValue) -> Int64? {
        switch value {
        case .number(let text): Int64(text) ?? Double(text).flatMap { Int64(exactly: $0) }
        case .string(let text): Int64(text)
        case .object(let members):
            if case .string(let text)? = members.first?.value { Int64(text) } else { nil }
        default: nil
        }
    }
}
