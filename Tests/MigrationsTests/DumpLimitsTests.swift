import Testing

@testable import Migrations

/// The bounds of a dump's documents.
@Suite struct DumpLimitsTests {
    /// The documents of a file, in its order, as the text of one member each.
    private func texts(_ file: DumpFile, _ name: String) throws -> [String] {
        var texts: [String] = []
        try file.forEach { document, _ in texts.append(document.text(name)) }
        return texts
    }

    private func failure(_ file: DumpFile) -> String {
        do {
            try file.forEach { _, _ in }
            return ""
        } catch {
            return "\(error)"
        }
    }

    private static func number(_ number: Int) -> [UInt8] {
        [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: number >> $0) }
    }

    /// Documents of BSON that are each the only member of another.
    private func nested(_ depth: Int) -> [UInt8] {
        var bytes = Self.number(5) + [0]
        for _ in 1..<depth {
            let member = [0x03, UInt8(ascii: "a"), 0] + bytes
            bytes = Self.number(member.count + 5) + member + [0]
        }
        return bytes
    }

    @Test func `A document of BSON has so many bytes`() throws {
        let most = MigrationLimits.documentBytes
        // The longest one is looked for, and the file ends before.
        let cut = DumpFile(try UnnamedFile.opened(Self.number(most)), .bson)
        #expect(failure(cut).hasSuffix(" is cut off at byte 0"))
        let long = DumpFile(try UnnamedFile.opened(Self.number(most + 1)), .bson)
        #expect(failure(long).hasSuffix("byte 0 begins no document of BSON"))
    }

    @Test func `A line of a dump has so many bytes`() throws {
        let count = MigrationLimits.documentBytes + MigrationLimits.pieceBytes + 1
        let file = DumpFile(try UnnamedFile.opened([], count: count), .json)
        #expect(failure(file).hasSuffix("line 1 is too long"))
    }

    @Test func `A document of BSON is so deep`() {
        let most = MigrationLimits.documentDepth
        #expect(DumpDocument(bson: nested(most)) != nil)
        #expect(DumpDocument(bson: nested(most + 1)) == nil)
    }

    @Test(arguments: [DumpFile.Form.json, .table])
    func `A dump is read in pieces, which end anywhere`(form: DumpFile.Form) throws {
        let length = 1_000
        let names = (0..<3 * MigrationLimits.pieceBytes / length).map { number in
            "\(number)-" + String(repeating: "n", count: length - "\(number)".count)
        }
        var text = form == .table ? "a\n" : ""
        for name in names { text += form == .table ? name + "\n" : "{\"a\": \"\(name)\"}\n" }
        let open = try UnnamedFile.opened(Array(text.utf8))
        let file = form == .table ? try DumpFile(table: open, needing: ["a"]) : DumpFile(open, form)
        #expect(try texts(file, "a") == names)
        // Each document is found again where the index says.
        try file.forEach { document, extent in
            let found = try file.document(at: extent)
            #expect(found.text("a") == document.text("a"))
        }
    }

    @Test func `A mark of an encoding belongs to no document`() throws {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        for form in [DumpFile.Form.json, .table] {
            let text = form == .table ? "a\nb\nc\n" : "{\"a\": \"b\"}\n{\"a\": \"c\"}\n"
            let open = try UnnamedFile.opened(mark + Array(text.utf8))
            let file =
                form == .table ? try DumpFile(table: open, needing: ["a"]) : DumpFile(open, form)
            #expect(try texts(file, "a") == ["b", "c"])
            try file.forEach { document, extent in
                let found = try file.document(at: extent)
                #expect(found.text("a") == document.text("a"))
            }
        }
    }

    @Test func `A file of a few bytes is not mistaken`() throws {
        for count in 1...4 {
            let zeros = DumpFile(try UnnamedFile.opened([], count: count), .bson)
            #expect(failure(zeros) != "")
            let packed = Array([0x1f, 0x8b, 0x08, 0x00][..<count]) as [UInt8]
            let file = DumpFile(try UnnamedFile.opened(packed), .json)
            #expect(failure(file).contains("packed by gzip") == (count >= 3))
        }
        let empty = DumpFile(try UnnamedFile.opened([]), .bson)
        #expect(failure(empty) == "")
    }

    @Test func `Bytes that gzip has too may be the length of a document`() throws {
        let length = 0x8088b1f & 0xFFFFFF
        let name: [UInt8] = [0x05, UInt8(ascii: "a"), 0]
        let size = length - 4 - name.count - 5 - 1
        let document =
            Self.number(length) + name + Self.number(size) + [0]
            + [UInt8](repeating: 7, count: size) + [0]
        #expect(Array(document[..<3]) == [0x1f, 0x8b, 0x08])
        let file = DumpFile(try UnnamedFile.opened(document), .bson)
        #expect(failure(file) == "")
    }

    @Test func `A time of a dump has a latest moment`() throws {
        let latest = MigrationLimits.latestMilliseconds
        func time(_ milliseconds: Int64) throws -> Int64? {
            let text = #"{"t": {"$date": {"$numberLong": "\#(milliseconds)"}}}"#
            return try #require(DumpDocument(json: Array(text.utf8))).time("t")
        }
        #expect(try time(latest) == latest)
        #expect(try time(latest + 1) == nil)
        #expect(try time(-1) == nil)
    }
}
