import Protobuf

/// Text for people: what comes from outside is in it only without characters that a terminal
/// obeys, or does not show.
///
/// Every output takes it, so nothing is written that was not made plain. Text of the program itself
/// is a literal; a value in a literal is made plain: `"\(user) has no friends"`.
struct PlainText: ExpressibleByStringInterpolation, CustomStringConvertible, Equatable, Sendable {
    /// The text as it may be written.
    let description: String

    /// Makes a text from outside plain.
    init(_ text: String) {
        description = JSONQuote.plain(text)
    }

    init(_ text: Substring) {
        self.init(String(text))
    }

    /// The lines of a text from outside, each made plain.
    init(lines text: String) {
        description = text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { JSONQuote.plain(String($0)) }.joined(separator: "\n")
    }

    /// A text of JSON, whose strings escape all that is not shown.
    init(json text: String) {
        description = JSONQuote.shown(text)
    }

    /// A text of the program's own, which nothing from outside is in.
    init(own text: String) {
        description = text
    }

    init(stringLiteral text: String) {
        description = text
    }

    init(stringInterpolation: Interpolation) {
        description = stringInterpolation.text
    }

    struct Interpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity)
        }

        mutating func appendLiteral(_ literal: String) {
            text += literal
        }

        mutating func appendInterpolation(_ value: PlainText) {
            text += value.description
        }

        mutating func appendInterpolation(_ value: some CustomStringConvertible) {
            text += JSONQuote.plain(value.description)
        }

        /// A case of an enum by its word.
        mutating func appendInterpolation<Case: RawRepresentable<String>>(_ value: Case) {
            text += JSONQuote.plain(value.rawValue)
        }

        mutating func appendInterpolation(_ failure: Failure) {
            text += failure.text.description
        }

        /// An error in the words that it has for people.
        mutating func appendInterpolation(_ error: any Error) {
            text += JSONQuote.plain(String(describing: error))
        }
    }

    static func + (left: PlainText, right: PlainText) -> PlainText {
        PlainText(own: left.description + right.description)
    }

    var isEmpty: Bool { description.isEmpty }

    /// The text without the end of its last line.
    var withoutLastEnd: PlainText {
        description.hasSuffix("\n") ? PlainText(own: String(description.dropLast())) : self
    }
}

extension Sequence<PlainText> {
    /// The texts in one, with `separator` between them.
    func joined(_ separator: String) -> PlainText {
        PlainText(own: map(\.description).joined(separator: separator))
    }
}
