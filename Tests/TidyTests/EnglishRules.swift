/// The rules of plain English that a program can check, each a function from prose to its errors.
///
/// Many readers have English as a second language. A long sentence and a sentence that begins with
/// a clause in the place of a noun must be read twice.
enum EnglishRules {
    /// A sentence with more words is two sentences.
    static let maxWords = 35

    /// A literal with fewer words is not a sentence that a person reads.
    static let wordsOfMessage = 3

    /// Words for which a noun is better: the peer, the caller, the client, no user.
    static let refusedWords: Set = ["nobody", "anybody", "somebody", "everybody"]

    /// The words with which a sentence must not begin, unless it is a question.
    static let refusedOpenings: [[Substring]] = [
        "What", "Who", "Whom", "Whose", "Whoever", "Whatever", "Whichever",
        "Those who", "Those that", "Those of", "Those which", "Those whose",
        "The same for", "The same with", "The same of", "The same as", "The same by",
        "The same to", "The same in", "The same from", "The same where", "The same when",
    ].map { $0.split(separator: " ") }

    /// All errors of the prose of one file.
    static func findings(in prose: [Prose], at path: String) -> [Finding] {
        prose.flatMap(\.sentences).flatMap { sentence in
            [opening(of: sentence), words(in: sentence), length(of: sentence)].compactMap {
                $0.map {
                    let beginning = sentence.prefix(12).map(\.text).joined(separator: " ")
                    return Finding(path, sentence[0].line, "\($0): \(beginning)")
                }
            }
        }
    }

    /// The refused words with which the sentence begins.
    static func opening(of sentence: [Prose.Word]) -> String? {
        let letters = sentence.prefix(3).map(\.letters)
        guard let found = refusedOpenings.first(where: { letters.starts(with: $0) }),
            sentence.last?.unclosed.last != "?"
        else { return nil }
        return "a sentence begins with \"\(found.joined(separator: " "))\""
    }

    /// The first refused word of the sentence.
    static func words(in sentence: [Prose.Word]) -> String? {
        for word in sentence {
            let parts = word.text.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
            if let found = parts.first(where: { refusedWords.contains($0.lowercased()) }) {
                return "the word \"\(found)\""
            }
        }
        return nil
    }

    /// The length of a sentence that is too long.
    static func length(of sentence: [Prose.Word]) -> String? {
        let count = sentence.count { $0.counts }
        return count > maxWords ? "a sentence of \(count) words" : nil
    }
}
