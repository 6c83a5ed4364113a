import Glibc

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
                texts += requests(in: try read(STDIN_FILENO, "standard input"), takesMany)
            } else if argument.hasPrefix("@") {
                let path = String(argument.dropFirst())
                let file = open(path, O_RDONLY | O_CLOEXEC)
                guard file >= 0 else {
                    throw Failure("\(path): \(String(cString: strerror(errno)))")
                }
                defer { close(file) }
                texts += requests(in: try read(file, path), takesMany)
            } else {
                texts.append(argument)
            }
        }
        return texts
    }

    private static func requests(in text: String, _ takesMany: Bool) -> [String] {
        guard takesMany else { return [text] }
        return text.split(separator: "\n").filter { !$0.allSatisfy(\.isWhitespace) }
            .map(String.init)
    }

    private static func read(_ file: Int32, _ name: String) throws -> String {
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(file, &part, part.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Failure("\(name): \(String(cString: strerror(errno)))") }
            guard count > 0 else { break }
            bytes += part[..<count]
            guard bytes.count <= Limits.requestBytes else {
                throw Failure("\(name) is longer than \(Limits.requestBytes) bytes")
            }
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Failure("\(name) is not UTF-8")
        }
        return text
    }
}
