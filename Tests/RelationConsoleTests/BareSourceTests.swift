import Testing

@testable import RelationConsole

@Suite struct BareSourceTests {
    @Test(
        arguments: [
            ("", ""),
            ("\n", "\n"),
            ("a\n  b\n\nc", "a\nb\n\nc"),
            ("// why\na // b\n", "\na // b\n"),
            ("  // why\n", "\n"),
            ("/* why */\na\n", "\na\n"),
            ("/**\n * @param {a} b\n */\nc\n", "\n\n\nc\n"),
            ("/** @type {a} */ (b)\n", "(b)\n"),
            ("/*\n * a\n  */ b\n", "\n\nb\n"),
            ("a = /** @type {b} */ (c)\n", "a = /** @type {b} */ (c)\n"),
            ("/* a\n// b */ c\n d\n", "\nc\nd\n"),
            ("/*", ""),
            ("a /* b\n  c */\n", "a /* b\nc */\n"),
            ("'*/'\n/\n*\n", "'*/'\n/\n*\n"),
        ])
    func commentsAndBlanksAtTheBeginningOfLinesGo(source: String, bare: String) {
        #expect(String(decoding: BareSource.of(Array(source.utf8)), as: UTF8.self) == bare)
    }

    @Test func eachFileKeepsItsLines() {
        let sources = EmbeddedFile.all.filter {
            $0.path.hasSuffix(".js") || $0.path.hasSuffix(".css")
        }
        #expect(sources.count > 30)
        for source in sources {
            let (whole, bare) = (source.bytes, BareSource.of(source.bytes))
            let ends = [whole, bare].map { $0.count { $0 == UInt8(ascii: "\n") } }
            #expect(ends[0] == ends[1] && ends[0] > 0, "\(source.path)")
            #expect(bare.count < whole.count, "\(source.path)")
        }
    }
}
