import Foundation
import Testing

/// The functions that a CheckFriends from the cache passes stand in a table, which this holds to
/// the sources and to the limit.
@Suite struct CheckFriendsWalkTests {
    /// The most functions from the method that the headers name to the answer.
    private static let limit = 60

    @Test func theWalkIsShort() throws {
        let steps = try Self.steps()
        #expect((40...Self.limit).contains(steps.count))
        let page = try String(
            contentsOfFile: "\(SourceTree.root)/ARCHITECTURE.md", encoding: .utf8)
        let words = page.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(words.contains("it passes \(steps.count) functions"))
    }

    @Test func eachFunctionOfTheWalkIsThere() throws {
        var files: [String: SourceFile] = [:]
        for file in try SourceTree.sources.get() { files[file.path] = file }
        for (step, times) in Dictionary(try Self.steps().map { ($0, 1) }, uniquingKeysWith: +) {
            let count = files[step.path].map { Self.declarations(of: step.name, in: $0) } ?? 0
            #expect(count >= times, "\(step.path) has \(count) of \(times) \(step.name)")
        }
    }

    @Test(arguments: [
        ("  func keep(_ a: Int) {}", 1), ("  func keeper() {}", 0), ("  a.keep()", 0),
        ("  @inline(__always)\n  func keep() {}", 0), ("  @inline(__always) func keep() {}", 0),
        ("  @inlinable\n  func keep<A>() {}", 1), ("  // func keep() {}", 0),
    ])
    func alwaysInlinedFunctionsAreLeftOut(text: String, count: Int) {
        let file = SourceFile(path: "a.swift", text: text)
        #expect(Self.declarations(of: "keep", in: file) == count)
    }

    @Test func initialisersAreFound() {
        let file = SourceFile(path: "a.swift", text: "  package init?(_ a: Int) {}\n  self.init(1)")
        #expect(Self.declarations(of: "init", in: file) == 1)
    }

    private struct Step: Hashable {
        let path: String
        let name: String
    }

    private static func steps() throws -> [Step] {
        let text = try String(
            contentsOfFile: "\(SourceTree.root)/Tests/Data/check_friends_walk.tsv", encoding: .utf8)
        return text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
            let cells = line.split(separator: "\t").map(String.init)
            return Step(path: cells[0], name: cells[1])
        }
    }

    /// How many functions of that name a file declares that the compiler need not inline.
    private static func declarations(of name: String, in file: SourceFile) -> Int {
        let tokens = file.tokens
        return tokens.indices.dropLast().count(where: { index in
            let isDeclared =
                name == "init"
                ? tokens[index].text == "init" && !Declarations.isMember(index, of: tokens)
                : tokens[index].text == "func" && tokens[index + 1].text == name
            guard isDeclared else { return false }
            let line = tokens[index].line
            let before = file.lines[line - 1].code
            let isAttribute = before.drop { $0 == " " }.hasPrefix("@")
            let attributes = file.lines[line].code + (isAttribute ? before : "")
            return !attributes.contains("@inline(__always)")
        })
    }
}
