import Glibc
import Testing
import TextFiles

/// Files and streams that are read as people write them.
@Suite struct TextFilesTests {
    /// A pipe that has these bytes, and nothing behind them; the reader closes it.
    private func stream(_ bytes: [UInt8]) -> Int32 {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        #expect(write(ends[1], bytes, bytes.count) == bytes.count)
        close(ends[1])
        return ends[0]
    }

    private func read(_ file: InputFile, at offset: Int64, _ count: Int) throws -> String {
        var bytes = [UInt8](repeating: 0, count: count)
        let found = try bytes.withUnsafeMutableBytes { try file.read(at: offset, into: $0) }
        return String(decoding: bytes[..<found], as: UTF8.self)
    }

    @Test func aStreamIsReadAsOftenAsAFile() throws {
        let pipe = stream(Array("one two".utf8))
        defer { close(pipe) }
        let file = try InputFile.opened("/dev/fd/\(pipe)", keepingAtMost: 7)
        for _ in 1...2 {
            #expect(try read(file, at: 0, 100) == "one two")
            #expect(try read(file, at: 4, 2) == "tw")
            #expect(try read(file, at: 7, 1) == "")
        }
    }

    @Test func aStreamHasABound() throws {
        let pipe = stream(Array("one two".utf8))
        defer { close(pipe) }
        let error = #expect(throws: InputFileError.self) {
            _ = try InputFile.opened("/dev/fd/\(pipe)", keepingAtMost: 6)
        }
        #expect(error?.reason == "is a stream of more than 6 bytes: put it into a file first")
    }

    @Test func aFolderIsNoFile() {
        let error = #expect(throws: InputFileError.self) {
            _ = try InputFile.opened("/", keepingAtMost: 6)
        }
        #expect(error?.description == "/ cannot be read: Is a directory")
    }

    @Test(
        arguments: [
            ([0xEF, 0xBB, 0xBF, 0x61], "a"), ([0x61, 0xEF, 0xBB, 0xBF], "a\u{FEFF}"), ([], ""),
            ([0xEF, 0xBB, 0xBF], ""),
        ] as [([UInt8], String)])
    func aMarkOfUTF8IsNoPartOfTheText(bytes: [UInt8], text: String) throws {
        let pipe = stream(bytes)
        defer { close(pipe) }
        #expect(try SmallFile.text(in: pipe, named: "it", atMost: 4) == text)
    }

    @Test(
        arguments: [
            ([0xFF, 0xFE, 0x61, 0], "is text in UTF-16: convert it to UTF-8"),
            ([0xFE, 0xFF, 0, 0x61], "is text in UTF-16: convert it to UTF-8"),
            ([0xFF, 0xFE, 0, 0], "is text in UTF-32: convert it to UTF-8"),
            ([0, 0, 0xFE, 0xFF], "is text in UTF-32: convert it to UTF-8"),
            ([0xFF, 0x61], "is not UTF-8"),
            ([0x61, 0x61, 0x61, 0x61, 0x61], "is longer than 4 bytes"),
        ] as [([UInt8], String)])
    func anotherEncodingIsNamed(bytes: [UInt8], reason: String) {
        let pipe = stream(bytes)
        defer { close(pipe) }
        let error = #expect(throws: InputFileError.self) {
            _ = try SmallFile.text(in: pipe, named: "it", atMost: 4)
        }
        #expect(error?.description == "it \(reason)")
    }
}
