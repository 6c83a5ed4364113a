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

    /// Names, comments and texts of all files, and the names of the files.
    @Test func noWordComesBackThatWasGivenUp() throws {
        let words = try givenUpWords()
        #expect(words.list.count >= 10)
        var found: [String] = []
        var verdicts: [Substring: Bool] = [:]
        for passage in try Self.passages() where passage.path != "docs/glossary.md" {
            for name in GivenUpWords.names(in: passage.text) {
                let isRefused = verdicts[name] ?? words.refuses(name)
                verdicts[name] = isRefused
                guard isRefused, !Self.isException(name, passage.path) else { continue }
                found.append("\(passage.path):\(passage.line): \(name)")
            }
        }
        #expect(found.isEmpty, "\(found.joined(separator: "\n"))")
    }

    /// Words that mean something else in the files whose paths begin so.
    ///
    /// A tested program writes a complaint to its standard error, a guest comes to a party of a
    /// story, CheckIntegrity has an old word for the feed in its answers, and a type is NIO's.
    private static let exceptions = [
        "complaint": "Tests/", "complaints": "Tests/", "complained": "Tests/",
        "complains": "Tests/", "guest": "Tests/", "guests": "Tests/",
        "lane_0": "Sources/RelationCore/Integrity/", "httprequesthead": "",
    ]

    private static func isException(_ name: Substring, _ path: String) -> Bool {
        exceptions[name.lowercased()].map(path.hasPrefix) ?? false
    }

    /// A line of a file, or of a Swift file what people read of it.
    private struct Passage {
        let path: String
        let line: Int
        let text: String
    }

    private static func passages() throws -> [Passage] {
        var passages: [Passage] = []
        for file in try SourceTree.everything.get() {
            passages += file.lines.enumerated().map {
                Passage(
                    path: file.path, line: $0.offset, text: $0.element.code + $0.element.comment)
            }
            // A test may quote what a name was.
            guard !file.path.hasPrefix("Tests/") else { continue }
            passages += file.literals.map { Passage(path: file.path, line: $0.line, text: $0.text) }
        }
        for file in try SourceTree.texts.get() {
            passages += file.lines.map {
                Passage(path: file.path, line: $0.number, text: $0.text)
            }
        }
        let paths = Set(passages.map(\.path))
        return passages + paths.map { Passage(path: $0, line: 0, text: $0) }
    }

    /// A kind of file that is not read would be a way for words to come back.
    @Test func eachKindOfFileIsRead() throws {
        let kinds = [
            ".swift", ".proto", ".md", "zh-CN.md", ".js", ".mjs", ".ts", ".html", ".css", ".py",
            ".yml", ".yaml", ".tpl", ".sql", ".c", ".h", ".cc", ".go", ".java", ".php", ".rb",
            ".cs", ".sh", ".conf", "Makefile", ".ci/run", "Packaging/release",
        ]
        let paths = Set(try Self.passages().filter { $0.line > 0 }.map(\.path))
        for kind in kinds {
            #expect(paths.contains { $0.hasSuffix(kind) }, "\(kind)")
        }
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
        ("LANE_UNSPECIFIED", true), ("KeptRead", true), ("aKeptReadEnds", true),
        ("kept_read", true), ("KeptReads", true), ("mended", true), ("isMending", true),
        ("keptread", true), ("plane", false), ("ReadKept", false), ("keptReader", false),
        ("amend", false),
    ])
    func aWordIsFoundInAName(name: String, isFound: Bool) {
        #expect(GivenUpWords(["lane", "kept read", "mend"]).refuses(name) == isFound)
    }

    @Test func namesAreFoundInText() {
        let names = GivenUpWords.names(in: "a `keptRead(of:)`, LANE_1 and é_b-c 3d")
        #expect(names == ["a", "keptRead", "of", "LANE_1", "and", "_b", "c", "3d"])
    }

    private func givenUpWords() throws -> GivenUpWords {
        GivenUpWords(try rows("Words that are not used").map { $0.cells[0] })
    }

    private func rows(_ section: String) throws -> [MarkdownFile.Row] {
        try Documents.file(at: "docs/glossary.md").rows.filter { $0.section == section }
    }
}
