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

    @Test func noWordComesBackThatWasGivenUp() throws {
        let words = try rows("Words that are not used").map { Substring($0.cells[0]) }
        #expect(words.count >= 10)
        let forms = Set(words + words.map { "\($0)s" })
        var found: [String] = []
        for file in try SourceTree.sources.get() {
            for token in file.tokens where forms.contains(Substring(token.text.lowercased())) {
                found.append("\(file.path):\(token.line): \(token.text)")
            }
            found += uses(of: forms, in: Prose.comments(of: file), at: file.path)
        }
        for file in try SourceTree.contract.get() {
            found += uses(of: forms, in: Prose.comments(of: file), at: file.path)
        }
        for document in try SourceTree.documents.get() where document.path != "docs/glossary.md" {
            found += uses(of: forms, in: Prose.paragraphs(of: document.lines), at: document.path)
        }
        #expect(found.isEmpty, "\(found.joined(separator: "\n"))")
    }

    private func rows(_ section: String) throws -> [MarkdownFile.Row] {
        try Documents.file(at: "docs/glossary.md").rows.filter { $0.section == section }
    }

    private func uses(of words: Set<Substring>, in prose: [Prose], at path: String) -> [String] {
        prose.flatMap(\.sentences).joined()
            .filter { words.contains(Substring($0.letters.lowercased())) }
            .map { "\(path):\($0.line): \($0.text)" }
    }
}
