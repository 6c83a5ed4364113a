import Foundation
import Testing

/// The rules of the wire have numbers, and each is named by a test that holds it.
struct WireRowTests {
    /// From the first rule to the last.
    private static let rows = 1...59

    /// The numbers in the names of tests: `row46PingsAreAnswered`, `test_row_46_pings_are_…`.
    private static func rows(
        named pattern: Regex<(Substring, Substring)>, in text: String
    ) -> [Int] {
        text.matches(of: pattern).compactMap { Int($0.1) }
    }

    @Test func everyRowOfTheWireHasATestThatNamesIt() throws {
        let folder = URL(filePath: SourceTree.root).appending(path: "Tests")
        let names = FileManager.default.enumerator(atPath: folder.path)?.allObjects ?? []
        var found: Set<Int> = []
        for name in names.compactMap({ $0 as? String })
        where name.hasSuffix(".swift") || name.hasSuffix(".py") {
            let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
            found.formUnion(Self.rows(named: /func row([0-9]{2})[A-Z]/, in: text))
            found.formUnion(Self.rows(named: /def test_row_([0-9]{2})_/, in: text))
        }
        #expect(found == Set(Self.rows), "missing: \(Set(Self.rows).subtracting(found).sorted())")
    }
}
