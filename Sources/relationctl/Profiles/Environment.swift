import Glibc
import Invocation

/// The variables of the environment.
enum Environment {
    /// The value of a variable; nil if it is not set, or empty.
    static subscript(_ name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(cString: value)
    }

    /// The value of a variable that has one line, without the line's end; nil if it is not set, or
    /// empty.
    ///
    /// - Throws: ``Failure`` if it has more, which names the variable: a secret is not repeated.
    static func line(_ name: String) throws -> String? {
        guard let value = self[name] else { return nil }
        let line = try line(value, of: name)
        return line.isEmpty ? nil : line
    }

    /// A value of one line without the line's end.
    ///
    /// - Parameter name: The variable or the option that has it, for messages.
    static func line(_ value: String, of name: String) throws -> String {
        let line = VariableText.trimmed(value)
        guard !VariableText.hasControl(line) else {
            throw Failure(
                "\(name) must be one line: it has a line end or a control character",
                .misuse)
        }
        return line
    }
}
