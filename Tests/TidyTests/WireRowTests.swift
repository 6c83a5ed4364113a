import Foundation
import Testing

/// Checks that the numbered rules in `docs/wire.md` and the tests name each other.
@Suite struct WireRowTests {
    /// The numbers of all rules.
    private static let rows = Array(1...87)

    /// The names of all functions in the tests, in Swift and in Python.
    private static let functions = Result { try readFunctions() }

    @Test func theRowsOfTheTableHaveNoGap() throws {
        #expect(try Self.table().map(\.number) == Self.rows)
        for row in try Self.table() {
            #expect(row.cells.count == 4, "row \(row.number)")
            #expect(row.cells.allSatisfy { !$0.isEmpty }, "row \(row.number)")
        }
    }

    @Test func everyRowIsNamedByATestAndEveryTestStandsInItsRow() throws {
        var named: [Int: Set<String>] = [:]
        for name in try Self.functions.get() {
            if let row = Self.row(namedBy: name) { named[row, default: []].insert(name) }
        }
        #expect(named.keys.sorted() == Self.rows)
        for row in try Self.table() {
            let missing = named[row.number, default: []].subtracting(row.tests)
            #expect(missing.isEmpty, "row \(row.number) leaves out \(missing.sorted())")
            named[row.number] = nil
        }
        #expect(named.isEmpty, "tests of rows that the table does not have: \(named)")
    }

    @Test func everyTestOfTheTableExists() throws {
        let functions = try Self.functions.get()
        for row in try Self.table() {
            #expect(!row.tests.isEmpty, "row \(row.number) names no test")
            #expect(Set(row.tests).count == row.tests.count, "row \(row.number) names one twice")
            for test in row.tests {
                #expect(functions.contains(test), "row \(row.number): there is no \(test)")
                let named = Self.row(namedBy: test)
                #expect(named == nil || named == row.number, "\(test) in row \(row.number)")
            }
        }
    }

    @Test(
        arguments: [
            ("row46PingsAreAnswered", 46), ("test_row_07_a_head", 7), ("row4Pings", nil),
            ("row46pings", nil), ("test_row_7_a_head", nil), ("rows46Pings", nil),
            ("row460Pings", nil),
        ] as [(String, Int?)])
    func aNameSaysItsRow(name: String, row: Int?) {
        #expect(Self.row(namedBy: name) == row)
    }

    // MARK: The table

    private struct Row {
        let number: Int
        let cells: [String]

        /// The names of tests, which are between backticks in the last cell.
        var tests: [String] {
            (cells.last ?? "").split(separator: "`", omittingEmptySubsequences: false)
                .enumerated().filter { $0.offset % 2 == 1 }.map { String($0.element) }
        }
    }

    private static func table() throws -> [Row] {
        try Documents.file(at: "docs/wire.md").rows.map { row in
            Row(number: try #require(Int(row.cells[0]), "line \(row.line)"), cells: row.cells)
        }
    }

    // MARK: The tests

    /// The number in the name of a test: `row46PingsAreAnswered`, `test_row_46_pings_are_…`.
    private static func row(namedBy name: String) -> Int? {
        let isPython = name.hasPrefix("test_row_")
        guard isPython || name.hasPrefix("row") else { return nil }
        let rest = name.dropFirst(isPython ? 9 : 3)
        let digits = rest.prefix { $0.isASCII && $0.isNumber }
        guard digits.count == 2, let next = rest.dropFirst(2).first,
            isPython ? next == "_" : next.isUppercase
        else { return nil }
        return Int(digits)
    }

    private static func readFunctions() throws -> Set<String> {
        let folder = "\(SourceTree.root)/Tests"
        let names = FileManager.default.enumerator(atPath: folder)?.allObjects ?? []
        var found: Set<String> = []
        for name in names.compactMap({ $0 as? String }) {
            let word = name.hasSuffix(".swift") ? "func " : name.hasSuffix(".py") ? "def " : nil
            guard let word else { continue }
            let text = try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
            found.formUnion(functions(after: Array(word.utf8), in: Array(text.utf8)))
        }
        return found
    }

    /// The names that follow `word`.
    ///
    /// The search goes by bytes, because the tests are megabytes of text.
    private static func functions(after word: [UInt8], in text: [UInt8]) -> [String] {
        var found: [String] = []
        var index = 0
        while index + word.count < text.count {
            guard text[index] == word[0], text[index..<(index + word.count)].elementsEqual(word)
            else {
                index += 1
                continue
            }
            let name = text[(index + word.count)...].prefix { isPartOfName($0) }
            found.append(String(decoding: name, as: UTF8.self))
            index += word.count + name.count
        }
        return found
    }

    private static func isPartOfName(_ byte: UInt8) -> Bool {
        switch UnicodeScalar(byte) {
        case "a"..."z", "A"..."Z", "0"..."9", "_": true
        default: byte >= 0x80
        }
    }
}
