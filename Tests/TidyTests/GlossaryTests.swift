import Testing

/// Checks `docs/glossary.md` against the code: each term names a type, and no word comes back that
/// was given up.
@Suite struct GlossaryTests {
    /// The most terms that a newcomer has to learn.
    private static let limit = 60

    @Test func eachTermNamesATypeOfTheSources() throws {
        let types = Set(
            try SourceTree.sources.get().flatMap { Declarations.types(in: $0) }.map(\.name))
        let terms = try rows("Glossary")
        #expect((30...Self.limit).contains(terms.count))
        for term in terms {
            let type = term.cells[1].filter { $0 != "`" }
            #expect(types.contains(type), "docs/glossary.md:\(term.line): no type \(type)")
            #expect(term.cells[2].first?.isUppercase == true, "docs/glossary.md:\(term.line)")
        }
        let names = terms.map { $0.cells[0] }
        #expect(Set(names).count == names.count)
    }

    /// Names, comments and messages of the sources, the contract, the documents, the console.
    @Test func noWordComesBackThatWasGivenUp() throws {
        let words = try rows("Words that are not used").map { $0.cells[0] }
        #expect(words.count >= 10)
        let forms = Set(words + words.map { "\($0)s" })
        var uses: [String: String] = [:]
        var messages: [(path: String, line: Int, text: String)] = []
        for file in try SourceTree.sources.get() {
            for token in file.tokens { uses[token.text] = "\(file.path):\(token.line)" }
            messages += file.lines.enumerated().map { (file.path, $0.offset, $0.element.comment) }
            // A literal of one word may be a name that is stored.
            messages += file.literals.filter { $0.text.contains(" ") }
                .map { (file.path, $0.line, $0.text) }
        }
        for file in try SourceTree.contract.get() {
            messages += file.lines.enumerated().map { (file.path, $0.offset, $0.element.text) }
        }
        let texts = try SourceTree.documents.get() + SourceTree.console.get()
        for text in texts where text.path != "docs/glossary.md" {
            messages += text.lines.map { (text.path, $0.number, $0.text) }
        }
        for message in messages {
            for word in message.text.split(whereSeparator: { !$0.isLetter }) {
                uses[String(word)] = "\(message.path):\(message.line)"
            }
        }
        let found = uses.filter { !Self.words(in: $0.key).isDisjoint(with: forms) }
            .map { "\($0.value): \($0.key)" }.sorted()
        #expect(found.isEmpty, "\(found.joined(separator: "\n"))")
    }

    @Test func noFunctionHasAVerbThatWasGivenUp() throws {
        let verbs = Set(try rows("Verbs that are not used").map { $0.cells[0] })
        #expect(verbs.count >= 5)
        let found = try SourceTree.sources.get().flatMap { file in
            Self.functions(of: file.tokens).filter { verbs.contains($0.name.lowercased()) }
                .map { "\(file.path):\($0.line): \($0.name)" }
        }
        #expect(found.isEmpty, "\(found.joined(separator: "\n"))")
    }

    @Test func aFunctionIsFoundWithoutItsBody() {
        let file = SourceFile(
            path: "a.swift", text: "protocol P {\n  func keep(_ a: Int)\n}\nlet a = b.func")
        let found = Self.functions(of: file.tokens)
        #expect(found.map(\.name) == ["keep"] && found.map(\.line) == [2])
    }

    /// The functions that are declared, also those of protocols.
    private static func functions(
        of tokens: [SourceFile.Token]
    ) -> [(name: String, line: Int)] {
        tokens.indices.dropLast().compactMap { index in
            guard tokens[index].text == "func", !Declarations.isMember(index, of: tokens) else {
                return nil
            }
            return (tokens[index + 1].text, tokens[index].line)
        }
    }

    @Test(arguments: [
        ("lane", true), ("ShadowLanes", true), ("laneCount", true), ("lane_0", true),
        ("KeptRead", true), ("plane", false), ("HTTPRequestHead", false),
    ])
    func aWordIsFoundInAName(name: String, isFound: Bool) {
        #expect(Self.words(in: name).isDisjoint(with: ["lane", "lanes", "keptread"]) != isFound)
    }

    /// A name in lower case, and each of its parts.
    private static func words(in name: String) -> Set<String> {
        var parts: [String] = [""]
        for letter in name {
            if letter.isUppercase || !letter.isLetter { parts.append("") }
            if letter.isLetter { parts[parts.count - 1] += letter.lowercased() }
        }
        return Set(parts + [name.lowercased()])
    }

    private func rows(_ section: String) throws -> [MarkdownFile.Row] {
        try Documents.file(at: "docs/glossary.md").rows.filter { $0.section == section }
    }
}
