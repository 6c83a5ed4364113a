import ContractText
import Protobuf
import RelationModel

extension ContractEntries.Entry {
    /// The thing with its comment, for programs.
    var data: JSONValue { .object(members) }

    /// The thing with its comment, and with the fields, calls or values that it has.
    func data(in contract: ContractEntries) -> JSONValue {
        let parts = contract.parts(of: name)
        let isWhole = parent.isEmpty && !parts.isEmpty
        return .object(members + (isWhole ? [("parts", .array(parts.map(\.data)))] : []))
    }

    /// The words of a list with commas.
    private static func list(_ text: String) -> JSONValue {
        let words = text.split(whereSeparator: { $0 == "," || $0 == " " })
        return .array(words.map { .string(String($0)) })
    }

    private var members: [(key: String, value: JSONValue)] {
        var members: [(key: String, value: JSONValue)] = [
            ("kind", .string(kind.word)), ("name", .string(name)),
        ]
        if !parent.isEmpty { members.append(("parent", .string(parent))) }
        if !number.isEmpty { members.append(("number", .number(number))) }
        if !type.isEmpty { members.append(("type", .string(type))) }
        members.append(("comment", .string(comment.joined(separator: "\n"))))
        if let reason = Reason.entries.first(where: { $0.reason.name == name }) {
            members += [
                ("info", .string("\(reason.info)")), ("calls", Self.list("\(reason.calls)")),
                ("codes", Self.list("\(reason.codes)")), ("advice", .string("\(reason.advice)")),
            ]
        }
        return members
    }
}

extension ContractEntries.Entry.Kind {
    fileprivate var word: String {
        switch self {
        case .service: "service"
        case .call: "call"
        case .message: "message"
        case .field: "field"
        case .enumeration: "enum"
        case .value: "value"
        }
    }
}
