/// The rules of style that no formatter checks, each a function from a file to its errors.
enum StyleRules {
    static let maxColumns = 100
    static let maxFileLines = 600
    static let maxFunctionLines = 70

    /// A file may be longer than ``maxFileLines`` if the comment it begins with says this.
    static let excuse = "long because"

    /// Words that say nothing in the name of a type.
    static let emptyWords: Set = ["Manager", "Helper", "Util", "Utils", "Common", "Base", "Impl"]

    static func longLines(in file: SourceFile) -> [Finding] {
        file.lines.indices.filter { file.lines[$0].text.unicodeScalars.count > maxColumns }
            .map { Finding(file, $0, "a line of \(file.lines[$0].text.count) columns") }
    }

    static func longFile(in file: SourceFile) -> [Finding] {
        let count = file.lines.count - 1
        let head = file.lines.dropFirst().prefix { !$0.comment.isEmpty }
        guard count > maxFileLines, !head.contains(where: { $0.comment.contains(excuse) })
        else { return [] }
        return [Finding(file, 1, "\(count) lines, and no comment that begins it says why")]
    }

    static func longFunctions(in file: SourceFile) -> [Finding] {
        Declarations.functions(in: file).filter { $0.lines.count > maxFunctionLines }
            .map { Finding(file, $0.lines.lowerBound, "\($0.lines.count) lines in \($0.name)") }
    }

    /// Refuses promises to do something later: do it now, or write it down among the limits.
    static func promises(in file: SourceFile) -> [Finding] {
        file.lines.indices.flatMap { number in
            let words = file.lines[number].comment.split { !$0.isLetter }
            return ["TODO", "FIXME", "XXX", "HACK"].filter { words.contains(Substring($0)) }
                .map { Finding(file, number, "a comment says \($0)") }
        }
    }

    /// Code that switches the compiler's checks off, or stops the process without saying why.
    static func forbiddenCode(in file: SourceFile) -> [Finding] {
        find(["try!", "nonisolated(unsafe)"], in: file).map {
            Finding(file, $0.line, "\($0.text) in the code")
        }
    }

    /// Waits of Dispatch with a time: they go by the wall clock, which may be set back.
    static func waitsByTheWallClock(in file: SourceFile) -> [Finding] {
        find([".wait(timeout:", ".wait(wallTimeout:"], in: file).map {
            Finding(file, $0.line, "\($0.text) waits by the wall clock: use SteadySemaphore")
        }
    }

    /// Code that is allowed only if a comment at most three lines above says what makes it right.
    static func unexplainedCode(in file: SourceFile) -> [Finding] {
        find(["@unchecked Sendable", "Unmanaged", "fatalError("], in: file).filter { found in
            let near = file.lines[max(1, found.line - 3)...found.line]
            return near.allSatisfy { $0.comment.isEmpty }
        }.map { Finding(file, $0.line, "no comment explains \($0.text)") }
    }

    static func emptyNames(in file: SourceFile) -> [Finding] {
        Declarations.types(in: file).flatMap { type in
            camelWords(of: type.name).filter(emptyWords.contains).map {
                Finding(file, type.line, "the name \(type.name) holds the empty word \($0)")
            }
        }
    }

    /// A type with the name of its module is refused: where both are visible, Swift can name
    /// neither.
    static func modulesNamedLikeTypes(in file: SourceFile) -> [Finding] {
        Declarations.types(in: file).filter { $0.name == file.target }
            .map { Finding(file, $0.line, "type \($0.name) has the name of its module") }
    }

    /// Every type that a user of the package can see has a comment that says what it is for.
    static func undocumentedTypes(in file: SourceFile) -> [Finding] {
        Declarations.types(in: file).filter { type in
            guard file.lines[type.line].code.split(separator: " ").contains("public")
            else { return false }
            var above = type.line - 1
            while above > 0, file.lines[above].code.hasPrefix("@") { above -= 1 }
            return !file.lines[above].text.drop(while: \.isWhitespace).hasPrefix("///")
        }.map { Finding(file, $0.line, "public type \($0.name) has no comment") }
    }

    /// The words of a name in camel case; digits belong to the word before them.
    static func camelWords(of name: String) -> [String] {
        var words: [String] = []
        for character in name {
            if character.isUppercase || words.isEmpty {
                words.append(String(character))
            } else {
                words[words.count - 1].append(character)
            }
        }
        return words
    }

    private static func find(
        _ texts: [String], in file: SourceFile
    ) -> [(text: String, line: Int)] {
        file.lines.indices.flatMap { number in
            texts.filter { file.lines[number].code.contains($0) }.map { ($0, number) }
        }
    }
}
