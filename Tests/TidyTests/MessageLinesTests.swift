import Testing

/// `RelationAPI` grows with the contract, and not faster.
///
/// A message in Swift needs at least two lines a field: its property and its visit. The figures are
/// in decision 3.
@Suite struct MessageLinesTests {
    /// The most lines of `RelationAPI` for each message of the contract.
    private static let linesPerMessage = 33.0
    /// The most lines of `RelationAPI` for each field of the contract.
    private static let linesPerField = 6.6

    @Test func aMessageCostsFewLines() throws {
        let sources = try SourceTree.sources.get().filter { $0.target == "RelationAPI" }
        // A file begins with an empty line that is not its own.
        let lines = Double(sources.map { $0.lines.count - 1 }.reduce(0, +))
        let contract = try SourceTree.contract.get().filter { $0.path.hasPrefix("proto/") }
        let counts = contract.map(Self.counts)
        let messages = Double(counts.map(\.messages).reduce(0, +))
        let fields = Double(counts.map(\.fields).reduce(0, +))
        #expect(messages > 400 && fields > 2_000)
        #expect(lines / messages <= Self.linesPerMessage, "\(lines) lines, \(messages) messages")
        #expect(lines / fields <= Self.linesPerField, "\(lines) lines, \(fields) fields")
    }

    @Test func fieldsAreCountedWithoutValues() {
        let text = """
            // message Not { string a = 1; }
            enum Kind {
              KIND_UNSPECIFIED = 0;
              KIND_OTHER = 1;
            }
            message One {
              reserved 4 to 6;
              option (a) = 1;
              string user_id = 1;
              optional int64 time_ms = 2 [deprecated = true];
              repeated One more = 3;
              oneof value {
                .relation.v1.Two two = 7;
              }
              map<string, string> words = 8;
              message Inner {}
            }
            """
        let counts = Self.counts(in: SourceFile(path: "proto/a.proto", text: text))
        #expect(counts.messages == 2 && counts.fields == 5)
    }

    /// The messages, and their fields, that a file of the contract declares.
    private static func counts(in file: SourceFile) -> (messages: Int, fields: Int) {
        let field = /^\s*(optional |repeated )?(map<\w+, *[\w.]+>|[\w.]+) \w+ = [0-9]+/
        var counts = (messages: 0, fields: 0)
        for line in file.lines {
            if line.code.firstMatch(of: /^\s*message \w+/) != nil { counts.messages += 1 }
            if line.code.firstMatch(of: field) != nil { counts.fields += 1 }
        }
        return counts
    }
}
