import Glibc

/// Colours of standard output, which only a terminal gets, and none if `NO_COLOR` is set.
enum Paint {
    static let isOn =
        isatty(STDOUT_FILENO) == 1 && Environment["NO_COLOR"] == nil
        && Environment["TERM"] != "dumb"

    static func heading(_ text: String) -> String { painted(text, "1") }
    static func good(_ text: String) -> String { painted(text, "32") }
    static func bad(_ text: String) -> String { painted(text, "31") }

    private static func painted(_ text: String, _ style: String) -> String {
        isOn ? "\u{1B}[\(style)m\(text)\u{1B}[0m" : text
    }
}
