import Glibc
import TextFiles

/// One request of a call, from its arguments, from a file or from standard input.
struct RequestText {
    let text: String
    /// The file, with the line if it has a request a line; nil for an argument.
    let location: String?

    /// The texts that `arguments` name: `@FILE` is a file, `-` is standard input, and all else is
    /// the request itself.
    ///
    /// - Parameter takesMany: Whether a file may have many requests, one a line.
    /// - Throws: ``Failure`` if a file cannot be read, or is too long.
    static func all(_ arguments: [String], takesMany: Bool) throws -> [RequestText] {
        guard !arguments.isEmpty else { return [RequestText(text: "{}", location: nil)] }
        var texts: [RequestText] = []
        for argument in arguments {
            if argument == "-" {
                texts += requests(in: try input(), of: "standard input", takesMany)
            } else if argument.hasPrefix("@") {
                let path = String(argument.dropFirst())
                texts += requests(in: try text(of: path), of: path, takesMany)
            } else {
                texts.append(RequestText(text: argument, location: nil))
            }
        }
        return texts
    }

    private static func requests(
        in text: String, of name: String, _ takesMany: Bool
    ) -> [RequestText] {
        guard takesMany else { return [RequestText(text: text, location: name)] }
        // Not by characters: the two of a line's end in Windows are one.
        let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        return lines.map { Substring($0) }.enumerated()
            .filter { !$0.element.allSatisfy(\.isWhitespace) }
            .map { RequestText(text: String($0.element), location: "\(name):\($0.offset + 1)") }
    }

    private static func text(of path: String) throws -> String {
        do throws(InputFileError) {
            return try SmallFile.text(of: path, atMost: Limits.requestBytes)
        } catch {
            throw Failure(error)
        }
    }

    private static func input() throws -> String {
        do throws(InputFileError) {
            try InputFile.takeInput()
            return try SmallFile.text(
                in: STDIN_FILENO, named: "standard input", atMost: Limits.requestBytes)
        } catch {
            throw Failure(error)
        }
    }
}
