import ArgumentParser
import Memory
import Protobuf

/// The option of a command that prints data, and the way in which it prints them: as a table for
/// people, or in a form for programs.
struct DataOutput: ParsableArguments {
    @Option(
        name: [.short, .long],
        help: "The form: table for people; json on one line, pretty or yaml with zeros.")
    var output = AnswerForm.table

    /// Prints data, through a pager if a terminal does not show them at once.
    ///
    /// - Parameters:
    ///   - table: The data for people, each of its lines with an end.
    ///   - data: The data for programs, which are made only if they are wanted.
    /// - Throws: ``Failure`` if the output cannot be written.
    func show(
        _ table: @autoclosure () throws -> PlainText, _ data: (DataMaker) throws -> JSONValue
    ) throws {
        guard output != .table else {
            try StandardOutput.show(table())
            return
        }
        try StandardOutput.show(output.text(of: data(DataMaker(output))) + "\n")
    }

    /// The text of a secret, which is shown this once: the secret alone for people.
    func secret(
        _ text: @autoclosure () -> PlainText, _ data: (DataMaker) throws -> JSONValue
    ) throws -> PlainText {
        guard output != .table else { return text() }
        return output.text(of: try data(DataMaker(output)))
    }
}

/// Makes the data that programs read, in proto3's JSON: with zeros, or without.
struct DataMaker {
    private let hasZeros: Bool

    init(_ form: AnswerForm) {
        hasZeros = form.hasZeros
    }

    /// A message of the contract in a form, without the end of its last line.
    static func text(of message: some Message, in form: AnswerForm) throws -> PlainText {
        // JSON is not read to be written again: a stream may have a million messages.
        guard form != .json else { return PlainText(json: try message.json()) }
        return form.text(of: try DataMaker(form).message(message))
    }

    /// A message of the contract; null for none.
    func message(_ message: (any Message)?) throws -> JSONValue {
        guard let message else { return .null }
        guard let coded = message as? any CodedMessage else {
            throw Failure(
                "\(String(describing: type(of: message))) is not a message of the contract")
        }
        let text = try Arena.temporary { (arena) throws(CodecError) in
            try coded.json(arena, includesDefaults: hasZeros)
        }
        return try JSONValue(parsing: text)
    }

    /// Messages of the contract in their order.
    func list(_ messages: [any Message]) throws -> JSONValue {
        .array(try messages.map { try message($0) })
    }

    /// Texts in their order.
    func texts(_ texts: some Sequence<String>) -> JSONValue {
        .array(texts.map { .string($0) })
    }

    /// The rows of a table by the names of its columns, which the first row has.
    func rows(_ page: String) -> JSONValue {
        let lines = page.split(separator: "\n").map {
            $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        }
        let names = lines.first ?? []
        return .array(
            lines.dropFirst().map { cells in
                .object(zip(names, cells).map { (key: $0, value: Self.value($1)) })
            })
    }

    /// A number as such, if JSON writes it so; else the text.
    private static func value(_ cell: String) -> JSONValue {
        let isNumber = cell.utf8.allSatisfy { ($0 >= 48 && $0 <= 57) || $0 == 46 || $0 == 45 }
        guard isNumber, let value = try? JSONValue(parsing: cell), case .number = value else {
            return .string(cell)
        }
        return value
    }
}

extension JSONValue {
    /// A number of the program itself.
    static func whole(_ number: some BinaryInteger) -> JSONValue { .number("\(number)") }
}
