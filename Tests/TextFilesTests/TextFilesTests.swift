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
            ([0xFF, 0x61], "is not UTF-8 in line 1"),
            ([0x61, 0x0A, 0xC3, 0x0A], "is not UTF-8 in line 2"),
            ([0x1F, 0x8B, 0x08, 0], "is packed by gzip: unpack it first"),
            ([0x28, 0xB5, 0x2F, 0xFD], "is packed by zstd: unpack it first"),
            ([0xFD, 0x37, 0x7A, 0x58], "is packed by xz: unpack it first"),
            ([0x50, 0x4B, 0x03, 0x04], "is packed by zip: unpack it first"),
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

    @Test func aPipeIsReadToItsEndByItsName() throws {
        let pipe = stream(Array("one".utf8))
        defer { close(pipe) }
        #expect(try SmallFile.text(of: "/dev/fd/\(pipe)", atMost: 3) == "one")
    }

    @Test(arguments: [false, true])
    func aPipeIntoWhichNothingIsWrittenHasItsTime(hasWriter: Bool) throws {
        #expect(SmallFile.pipeMilliseconds == 60_000)
        var folder = Array("/tmp/relation-pipe.XXXXXX".utf8CString)
        try #require(mkdtemp(&folder) != nil)
        let place = String(decoding: folder.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        let path = "\(place)/pipe"
        try #require(mkfifo(path, 0o600) == 0)
        let writer = hasWriter ? open(path, O_RDWR | O_CLOEXEC) : -1
        defer {
            if hasWriter { close(writer) }
            unlink(path)
            rmdir(place)
        }
        if hasWriter { #expect(write(writer, "one", 3) == 3) }
        let error = #expect(throws: InputFileError.self) {
            _ = try SmallFile.bytes(of: path, atMost: 9, waiting: 1)
        }
        #expect(
            error?.reason == "is a pipe into which nothing was written for 1 milliseconds")
    }
}
