/// Finds declarations in a file's tokens.
///
/// It is not a parser, but it suffices for code that a formatter wrote.
enum Declarations {
    private static let functionWords: Set = ["func", "init", "deinit", "subscript"]
    static let typeWords: Set = [
        "struct", "class", "enum", "actor", "protocol", "typealias",
    ]

    /// The words that end a declaration without a body.
    private static let declarationWords = functionWords.union(typeWords).union([
        "var", "let", "case", "associatedtype", "extension", "import",
    ])

    /// The functions that have a body, and the lines from their first word to their last brace.
    static func functions(in file: SourceFile) -> [(name: String, lines: ClosedRange<Int>)] {
        let tokens = file.tokens
        return tokens.indices.compactMap { index in
            guard functionWords.contains(tokens[index].text), !isMember(index, of: tokens),
                let open = body(after: index, in: tokens),
                let close = match(open, in: tokens)
            else { return nil }
            let isNamed = tokens[index].text == "func"
            let name = tokens[isNamed ? index + 1 : index].text
            return (name, tokens[index].line...tokens[close].line)
        }
    }

    /// The types declared anywhere in the file.
    static func types(in file: SourceFile) -> [(name: String, line: Int)] {
        let tokens = file.tokens
        return tokens.indices.dropLast().compactMap { index in
            let name = tokens[index + 1].text
            guard typeWords.contains(tokens[index].text), !isMember(index, of: tokens),
                name.first?.isUppercase == true,
                index == 0 || tokens[index - 1].text != "import"
            else { return nil }
            return (name, tokens[index].line)
        }
    }

    /// Whether the word at `index` follows a dot, and so is used and not declared.
    static func isMember(_ index: Int, of tokens: [SourceFile.Token]) -> Bool {
        index > 0 && tokens[index - 1].text == "."
    }

    /// The brace that opens the body of the declaration at `index`, or nil if it has none.
    private static func body(after index: Int, in tokens: [SourceFile.Token]) -> Int? {
        var depth = 0
        // A function's name may be any word, so the search begins behind it.
        let start = tokens[index].text == "func" ? index + 2 : index + 1
        for next in start..<max(start, tokens.count) {
            switch tokens[next].text {
            case "(", "[": depth += 1
            case ")", "]": depth -= 1
            case "{" where depth == 0: return next
            case "}" where depth == 0: return nil
            case let word where depth == 0 && declarationWords.contains(word): return nil
            default: break
            }
            if depth < 0 { return nil }
        }
        return nil
    }

    private static func match(_ open: Int, in tokens: [SourceFile.Token]) -> Int? {
        var depth = 0
        for next in open..<tokens.count {
            if tokens[next].text == "{" { depth += 1 }
            if tokens[next].text == "}" { depth -= 1 }
            if depth == 0 { return next }
        }
        return nil
    }
}

/// A declaration that stands in no other, with the capitalised words in it.
struct OutermostDeclaration {
    let name: String
    /// The parts of the name, for a type that is extended as a member of another.
    let path: [String]
    let isType: Bool
    let isExtension: Bool
    let isPrivate: Bool
    /// Whether it offers another module's type under the type's own name.
    let isRedeclaration: Bool
    let words: Set<String>
}

extension Declarations {
    /// The declarations of a file at its outermost level, in their order.
    static func outermost(in file: SourceFile) -> [OutermostDeclaration] {
        let kinds = typeWords.union(["extension", "func", "let", "var"])
        let tokens = file.tokens
        var starts: [Int] = []
        var depth = 0
        for (index, token) in tokens.enumerated() {
            switch token.text {
            case "{", "(", "[": depth += 1
            case "}", ")", "]": depth -= 1
            case let word where depth == 0 && kinds.contains(word) && !isMember(index, of: tokens):
                if index == 0 || tokens[index - 1].text != "import" { starts.append(index) }
            default: break
            }
        }
        return starts.enumerated().map { position, start in
            let end = position + 1 < starts.count ? starts[position + 1] : tokens.count
            let body = tokens[start..<end].map(\.text)
            var path: [String] = []
            for text in body.dropFirst().prefix(8) {
                if text == "." || text == "[" { continue }
                guard path.isEmpty || tokens[start + 2 * path.count].text == "." else { break }
                path.append(text)
            }
            let modifiers = tokens[..<start].suffix(2).map(\.text)
            return OutermostDeclaration(
                name: path.first ?? "", path: path, isType: typeWords.contains(body[0]),
                isExtension: body[0] == "extension",
                isPrivate: modifiers.contains("private") || modifiers.contains("fileprivate"),
                isRedeclaration: body[0] == "typealias" && body.count > 5
                    && Array(body[1...2] + body[4...5]) == [body[1], "=", ".", body[1]],
                words: Set(body.dropFirst().filter { $0.first?.isUppercase == true }))
        }
    }
}
