import Testing

/// Tests of the rules of plain English, on prose that breaks one and on prose that only seems to.
@Suite struct EnglishRuleTests {
    private static func errors(of prose: [Prose]) -> [String] {
        EnglishRules.findings(in: prose, at: "A").map { finding in
            String(finding.rule.prefix { $0 != ":" })
        }
    }

    private static func errors(ofText text: String) -> [String] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return errors(
            of: Prose.paragraphs(of: lines.enumerated().map { ($0.offset + 1, String($0.element)) })
        )
    }

    private static func file(_ text: String) -> SourceFile {
        SourceFile(path: "Sources/GRPC/File.swift", text: text)
    }

    /// A sentence of `count` words, the full stop at the last one.
    private static func sentence(_ count: Int) -> String {
        "It" + String(repeating: " goes", count: count - 1) + "."
    }

    @Test(arguments: [
        ("What is queued.", 1), ("It is so. Whoever waits goes on.", 1), ("Whom to add: 1.", 1),
        ("It says \"no.\" Who asks is told.", 1), ("(What is left.)", 1), ("**Who** calls.", 1),
        ("Whatever happens, it ends.", 1), ("Those who wait go on.", 1),
        ("The same for text.", 1), ("The same\nof bytes.", 1), ("Who, if asked, says so.", 1),
        ("What is queued?", 0), ("It asks \"Who is it?\"", 0), ("Those bytes are kept.", 0),
        ("The same bytes.", 0), ("The same text for all.", 0), ("Whole rows.", 0),
        ("`What` is a word.", 0), ("It tells what is queued.", 0), ("It is e.g. What.", 0),
        ("Whether it is so.", 0), ("Whenever it is so.", 0),
    ])
    func anOpeningIsFound(text: String, count: Int) {
        #expect(Self.errors(ofText: text).filter { $0.contains("begins") }.count == count)
    }

    @Test(arguments: [
        ("It tells nobody.", 1), ("Nobody knows.", 1), ("It is somebody's.", 1),
        ("It tells anybody. Nobody asks.", 2), ("[nobody](a.md) asks.", 1),
        ("It takes `nobody` as a name.", 0), ("It is busybody.", 0), ("See nobody_asks.", 0),
        ("``nobody`` is a case.", 0), ("See [here](nobody.md).", 0), ("A body.", 0),
        ("A span\n`over nobody\nand lines` ends.", 0), ("An open ` tells nobody.", 1),
    ])
    func aRefusedWordIsFound(text: String, count: Int) {
        #expect(Self.errors(ofText: text).filter { $0.contains("the word") }.count == count)
    }

    @Test func aLongSentenceIsFound() {
        let most = EnglishRules.maxWords
        #expect(Self.errors(ofText: Self.sentence(most)).isEmpty)
        #expect(Self.errors(ofText: Self.sentence(most + 1)) == ["a sentence of 36 words"])
        // Two sentences, or two items of a list, are not counted as one.
        #expect(Self.errors(ofText: Self.sentence(30) + " " + Self.sentence(30)).isEmpty)
        #expect(Self.errors(ofText: Self.sentence(30) + "\n\n" + Self.sentence(30)).isEmpty)
        #expect(Self.errors(ofText: "- so it goes\n- " + Self.sentence(30)).isEmpty)
        #expect(Self.errors(ofText: "so it goes\n1. " + Self.sentence(33)).isEmpty)
        // A sentence goes on over lines, and after an abbreviation.
        #expect(Self.errors(ofText: "It goes\n" + Self.sentence(34)) == ["a sentence of 36 words"])
        #expect(Self.errors(ofText: "It goes e.g. " + Self.sentence(33)).count == 1)
        // A span of code is one word, and a dash is not a word.
        #expect(Self.errors(ofText: "`a b c d` – " + Self.sentence(most - 1)).isEmpty)
        #expect(Self.errors(ofText: "`a b` c " + Self.sentence(most - 1)).count == 1)
    }

    @Test func headingsTablesAndFencesAreSkipped() {
        #expect(Self.errors(ofText: "# What it is\n\n| Who | nobody |\n\nMARK: What").isEmpty)
        #expect(Self.errors(ofText: "```\nWhat it is.\n\nNobody.\n```").isEmpty)
        #expect(Self.errors(ofText: "```\nNobody.\n```\nNobody.").count == 1)
        #expect(Self.errors(ofText: "It is\n```\nso.\n```\nWhat is so.").count == 1)
    }

    @Test func labelsOfListsAreNoWords() {
        for label in ["- ", "* ", "2. ", "- Parameter a: ", "- Returns: ", "- Throws: ", "- a: "] {
            #expect(Self.errors(ofText: label + "What is left.").count == 1, "\(label)")
            #expect(Self.errors(ofText: label + Self.sentence(35)).isEmpty, "\(label)")
        }
    }

    @Test func commentsAreProseAndCodeIsNot() {
        let file = Self.file(
            """
            /// It is
            /// so.
            ///
            /// What is left.
            let nobody = "Nobody." // Nobody is told.
            // Who comes
            /// first.
            /* Whose it is. */
            // It is so
            let a = 1
            // nobody's.
            """)
        let found = EnglishRules.findings(in: Prose.comments(of: file), at: file.path)
        #expect(found.map(\.line) == [4, 5, 6, 8, 11])
    }

    @Test(arguments: [
        ("let a = \"a server tells nobody\"", 1), ("let a = \"nobody tells\"", 0),
        ("let a = \"Nobody \\(f(\"of them\")) is told\"", 1),
        ("let a = \"it is \"\n    + \"nobody's now\"", 1),
        ("let a = \"it is\", b = \"nobody's now\"", 0), ("let a = #\"it is \\(nobody) there\"#", 1),
        ("let a = \"it is \\(nobody) there\"", 0), ("// \"it tells nobody\"", 0),
        ("let a = \"it is so:\\nWhat is left\"", 0), ("let a = \"it is so\\n\\nWhat is left\"", 1),
        ("let a = \"\"\"\n    it tells no\\\n    body of it\n    \"\"\"", 0),
        ("let a = \"\"\"\n    it is \\\n    nobody's\n    \"\"\"", 1),
    ])
    func messagesAreProse(text: String, count: Int) {
        let prose = Prose.messages(of: Self.file(text), words: EnglishRules.wordsOfMessage)
        #expect(Self.errors(of: prose).count == count)
    }

    @Test func literalsAreKeptWithTheirLines() {
        let file = Self.file(
            """
            let a = "b \\(c("d")) e" + "f"
            let g = [\"\"\"
                h \\
                i "j"
                \"\"\", #"k\\n"#]
            """)
        #expect(file.literals.map(\.line) == [1, 1, 2, 5])
        let texts = file.literals.map { $0.text.split(whereSeparator: \.isWhitespace) }
        #expect(texts == [["b", "CODE", "ef"], ["d"], ["h", "i", "\"j\""], ["k\\n"]])
    }
}
