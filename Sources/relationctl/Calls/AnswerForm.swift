import ArgumentParser
import Memory
import Protobuf

/// The form in which an answer is shown.
enum AnswerForm: String, ExpressibleByArgument, CaseIterable {
    /// One line, without zeros.
    case json
    /// Several lines, with zeros.
    case pretty
    case table
    /// A document of YAML, with zeros.
    case yaml

    /// The answer in this form, without the end of its last line.
    func text(of answer: [UInt8], _ method: any TypedMethod) throws(CodecError) -> PlainText {
        let json = try Self.json(of: answer, method, zeros: hasZeros)
        // The text of a stream's answer is not read to be written again.
        return self == .json ? PlainText(json: json) : text(of: try JSONValue(parsing: json))
    }

    /// Data in this form, without the end of their last line.
    func text(of data: JSONValue) -> PlainText {
        switch self {
        case .json: PlainText(json: JSONText(data).compact)
        case .pretty: PlainText(json: JSONText(data).pretty)
        case .table: AnswerTable(data).text
        case .yaml: PlainText(own: YAMLText(data).text)
        }
    }

    /// Whether fields that are zero are shown too.
    var hasZeros: Bool { self == .pretty || self == .yaml }

    /// The text that stands before each answer of a stream: in YAML it is a document of its own.
    var documentStart: PlainText { self == .yaml ? "---\n" : "" }

    private static func json<M: TypedMethod>(
        of answer: [UInt8], _ method: M, zeros: Bool
    ) throws(CodecError) -> String {
        try Arena.temporary { (arena) throws(CodecError) in
            let message = try Coder(M.Response.self).message(answer, arena)
            return try message.json(arena, includesDefaults: zeros)
        }
    }

    /// The items of an answer that were refused, and of how many.
    static func refused(
        in answer: [UInt8], _ method: any TypedMethod
    ) throws(CodecError) -> (refused: Int, all: Int) {
        guard
            case .object(let members) = try JSONValue(
                parsing: json(of: answer, method, zeros: false))
        else { return (0, 0) }
        var (refused, all) = (0, 0)
        for member in members {
            guard case .array(let items) = member.value else { continue }
            for case .object(let fields) in items {
                guard let code = fields.first(where: { $0.key == "code" })?.value else { continue }
                all += 1
                if case .string(let name) = code, name.hasSuffix("_SUCC") { continue }
                refused += 1
            }
        }
        return (refused, all)
    }
}
