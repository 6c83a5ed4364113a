import Protobuf
import RelationAPI
import RelationModel

/// The fields in which a row differs before and after a call.
struct HistoryDifference {
    /// A field with its value on either side; nil where the row has none, or is not there.
    struct Field {
        /// The name in JSON, such as `remark` or `custom.Blood`.
        let path: String
        let before: JSONValue?
        let after: JSONValue?
    }

    let fields: [Field]
    /// The texts of fields that are bytes, by their names: JSON has them in base64.
    private let texts: [String: (before: String?, after: String?)]
    /// The paths of custom fields whose values are numbers.
    private let numbers: Set<String>

    init(_ change: HistoryChange) throws {
        let rows: [(before: (any Message)?, after: (any Message)?)] = [
            (change.friendBefore, change.friendAfter),
            (change.blacklistBefore, change.blacklistAfter),
            (change.applicationBefore, change.applicationAfter),
            (change.followBefore, change.followAfter),
            (change.profileBefore, change.profileAfter),
        ]
        fields = try rows.flatMap { row in
            // A row that is made or gone has what is set in it; else a zero is a value too.
            let maker = DataMaker(row.before == nil || row.after == nil ? .json : .pretty)
            return Self.fields(
                Self.flat(try maker.message(row.before)), Self.flat(try maker.message(row.after)))
        }
        let (before, after) = (change.profileBefore, change.profileAfter)
        let customs: [[CustomValue]?] = [
            before?.custom, after?.custom, change.friendBefore?.custom, change.friendAfter?.custom,
        ]
        var numbers: Set<String> = []
        for custom in customs.flatMap({ $0 ?? [] }) {
            switch custom.value {
            case .some(.number): numbers.insert("custom.\(custom.key)")
            default: break
            }
        }
        self.numbers = numbers
        texts = [
            "location": (Self.text(before?.location), Self.text(after?.location)),
            "selfSignature": (Self.text(before?.selfSignature), Self.text(after?.selfSignature)),
        ]
    }

    /// Bytes as a text; nil for none, and for bytes that are not a text.
    private static func text(_ bytes: [UInt8]?) -> String? {
        bytes.flatMap { $0.isEmpty ? nil : String(validating: $0, as: UTF8.self) }
    }

    /// The fields in JSON: an object with the name and both values for each of them.
    var data: JSONValue {
        .array(
            fields.map { field in
                .object([
                    ("field", .string(field.path)), ("before", field.before ?? .null),
                    ("after", field.after ?? .null),
                ])
            })
    }

    /// A line for each field: `remark: "Bobby" -> "Bob"`.
    var lines: [PlainText] {
        fields.map { field in
            let name = Self.words(of: field.path)
            let (form, text) = (
                Form(of: field.path, isNumber: numbers.contains(field.path)), texts[field.path]
            )
            let before = Self.words(of: text?.before.map { .string($0) } ?? field.before, form)
            let after = Self.words(of: text?.after.map { .string($0) } ?? field.after, form)
            return "\(name): \(before) -> \(after)"
        }
    }

    // MARK: Fields

    /// The members that say which row it is, or that change with every write.
    private static let ofRow: Set<String> = ["userId", "sequence", "version"]

    private static func fields(
        _ before: [(path: String, value: JSONValue)], _ after: [(path: String, value: JSONValue)]
    ) -> [Field] {
        let gone = before.filter { old in !after.contains { $0.path == old.path } }
        let found =
            after.map { new in
                let old = before.first { $0.path == new.path }?.value
                return Field(path: new.path, before: old, after: new.value)
            } + gone.map { Field(path: $0.path, before: $0.value, after: nil) }
        return found.filter { field in
            field.before.map { JSONText($0).compact } != field.after.map { JSONText($0).compact }
        }
    }

    /// The members of a row by their paths, without those of the row itself.
    private static func flat(_ row: JSONValue) -> [(path: String, value: JSONValue)] {
        guard case .object(let members) = row else { return [] }
        return members.flatMap { member -> [(path: String, value: JSONValue)] in
            if ofRow.contains(member.key) { return [] }
            if member.key == "custom", case .array(let values) = member.value {
                return values.compactMap { custom($0) }
            }
            if case .object = member.value {
                return flat(member.value).map { ("\(member.key).\($0.path)", $0.value) }
            }
            return [(member.key, member.value)]
        }
    }

    /// A custom value by its key: its text or its number, if it has nothing else.
    private static func custom(_ value: JSONValue) -> (path: String, value: JSONValue)? {
        guard case .object(let members) = value,
            case .string(let key)? = members.first(where: { $0.key == "key" })?.value
        else { return nil }
        let rest = members.filter { $0.key != "key" }
        return ("custom.\(key)", rest.count == 1 ? rest[0].value : .object(rest))
    }

    // MARK: Words

    /// The words of a name: `addTimeMs` is `add time`; the key of a custom field stays as it is.
    private static func words(of path: String) -> String {
        guard !path.hasPrefix("custom.") else { return path }
        var words = ""
        for letter in path {
            words += letter.isUppercase ? " \(letter.lowercased())" : "\(letter)"
        }
        return words.hasSuffix(" ms") ? String(words.dropLast(3)) : words
    }

    /// The form of a value that JSON has as a string.
    private enum Form {
        /// A text of a user or of the app: in quotes, as it may be `none` or have an arrow.
        case text
        /// A moment in milliseconds.
        case time
        /// A name of the contract, or a number.
        case plain

        private static let ofContract: Set<String> = [
            "adminForbidType", "allowType", "gender", "pendencyType", "status",
        ]

        init(of path: String, isNumber: Bool) {
            if path.hasPrefix("custom.") {
                self = isNumber ? .plain : .text
            } else if path.hasSuffix("Ms") {
                self = .time
            } else {
                self = Self.ofContract.contains(path) ? .plain : .text
            }
        }
    }

    private static func words(of value: JSONValue?, _ form: Form) -> String {
        switch value {
        case nil, .null?: return "none"
        case .array(let items)?:
            guard !items.isEmpty else { return "none" }
            return items.map { words(of: $0, form) }.joined(separator: ", ")
        case .string(let text)?:
            if form == .time, let milliseconds = Int64(text) { return time(milliseconds) }
            guard !text.isEmpty else { return "none" }
            guard form == .text else { return text }
            guard text.count > Limits.historyCharacters else { return quoted(text) }
            let begin = quoted(String(text.prefix(Limits.historyCharacters)))
            return "\(begin)… (\(text.utf8.count) bytes)"
        case let value?: return JSONText(value).compact
        }
    }

    /// A text in quotes; the output itself escapes what a terminal does not show.
    private static func quoted(_ text: String) -> String {
        let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return "\"\(escaped)\""
    }

    private static func time(_ milliseconds: Int64) -> String {
        switch milliseconds {
        case 0: "none"
        case .max: "without end"
        default: DayClock.text(milliseconds)
        }
    }
}
