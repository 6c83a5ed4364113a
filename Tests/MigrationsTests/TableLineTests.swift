import Testing

@testable import Migrations

/// Lines of tables and times as databases write them.
struct TableLineTests {
    @Test(arguments: [
        ("", [""]), ("a,b", ["a", "b"]), ("a,,", ["a", "", ""]),
        ("\"a,b\",\"c\"\"d\"\r", ["a,b", "c\"d"]), ("\"two\nlines\",x", ["two\nlines", "x"]),
        ("\u{FEFF}id,é", ["id", "é"]),
    ])
    func `A line has its cells`(_ line: String, _ cells: [String]) {
        #expect(TableLine.cells(Array(line.utf8)) == cells)
    }

    @Test(arguments: ["a\"b", "\"a", "\"a\"b,c", "a,\"b"])
    func `A quote stands only where it may`(_ line: String) {
        #expect(TableLine.cells(Array(line.utf8)) == nil)
    }

    @Test func `A line that is not UTF-8 has no cells`() {
        #expect(TableLine.cells([0x61, 0x2c, 0xff]) == nil)
    }

    @Test(arguments: [
        ("2020-09-13T12:26:40.001Z", 1_600_000_000_001),
        ("2020-09-13 12:26:40+00", 1_600_000_000_000),
        ("2020-09-13 13:56:40.0019+01:30", 1_600_000_000_001),
        ("2020-09-13 08:56:40-0330", 1_600_000_000_000),
        ("2020-09-13 20:26:40+0800", 1_600_000_000_000),
    ])
    func `A time is read in each zone`(_ text: String, _ milliseconds: Int64) {
        #expect(DateText.milliseconds(text) == milliseconds)
    }

    @Test(arguments: [
        "", "infinity", "2020-09-13 12:26:40", "2020-13-13 12:26:40+00", "never+0800",
    ])
    func `A text that is not a time has none`(_ text: String) {
        #expect(DateText.milliseconds(text) == nil)
    }
}
