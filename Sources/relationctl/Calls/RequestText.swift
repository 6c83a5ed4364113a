import Glibc
import TextFiles

/// The requests of a call, from its arguments, from files or from standard input.
enum RequestText {
    /// The texts that `arguments` name: `@FILE` is a file, `-` is standard input, and all else is
    /// the request itself.
    ///
    /// - Parameter takesMany: Whether a file may have many requests, one a line.
    /// - Throws: ``Failure`` if a file cannot be read, or is too long.
    static func all(_ arguments: [String], takesMany: Bool) throws -> [String] {
        guard !arguments.isEmpty else { return ["{}"] }
        var texts: [String] = []
        for argument in arguments {
            if argument == "-" {
                texts += requests(in: try input(), takesMany)
            } else if argument.hasPrefix("@") {
                texts += requests(in: try text(of: String(argument.dropFirst())), takesMany)
            } else {
                texts.append(argument)
            }
        }
        return texts
    }

    private static func requests(in text: String, _ takesMany: Bool) -> [String] {
        guard takesMany else { return [text] }
        // Not by characters: the two of a line's end in Windows are one.
        return text.utf8.split(separator: UInt8(ascii: "\n")).map { Substring($0) }
            .filter { !$0.allSatisfy(\.isWhitespace) }.map(String.init)
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
