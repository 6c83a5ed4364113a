import Testing

/// Checks everything in the package that people read by the rules of plain English.
@Suite struct EnglishTests {
    @Test func commentsAreInPlainEnglish() throws {
        let files = try SourceTree.everything.get()
        #expect(!files.isEmpty)
        let findings = files.flatMap {
            EnglishRules.findings(in: Prose.comments(of: $0), at: $0.path)
        }
        #expect(findings.isEmpty, "\(findings.text)")
    }

    @Test func theContractIsInPlainEnglish() throws {
        let files = try SourceTree.contract.get()
        #expect(!files.isEmpty)
        let findings = files.flatMap {
            EnglishRules.findings(in: Prose.comments(of: $0), at: $0.path)
        }
        #expect(findings.isEmpty, "\(findings.text)")
    }

    @Test func messagesAreInPlainEnglish() throws {
        let findings = try SourceTree.sources.get().flatMap {
            EnglishRules.findings(
                in: Prose.messages(of: $0, words: EnglishRules.wordsOfMessage), at: $0.path)
        }
        #expect(findings.isEmpty, "\(findings.text)")
    }

    @Test func documentsAreInPlainEnglish() throws {
        let documents = try SourceTree.documents.get()
        #expect(documents.contains { $0.path == "README.md" })
        let findings = documents.flatMap {
            EnglishRules.findings(in: Prose.paragraphs(of: $0.lines), at: $0.path)
        }
        #expect(findings.isEmpty, "\(findings.text)")
    }
}
