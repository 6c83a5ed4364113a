import Glibc

/// Colours of standard output, which only a terminal gets, and none if `NO_COLOR` is set.
enum Paint {
    static let isOn =
        isatty(STDOUT_FILENO) == 1 && Environment["NO_COLOR"] == nil
        && Environment["TERM"] != "dumb"

    static func heading(_ text: PlainText) -> PlainText { painted(text, "1") }
    static func good(_ text: PlainText) -> PlainText { painted(text, "32") }
    static func bad(_ text: PlainText) -> PlainText { painted(text, "31") }

    private static func painted(_ text: PlainText, _ style: PlainText) -> PlainText {
        isOn ? "\u{1B}[\(style)m\(text)\u{1B}[0m" : text
    }
}
