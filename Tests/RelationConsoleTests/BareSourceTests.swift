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
            ("  a :b, c > d { e: f, g; }\n", "a :b,c > d{e:f,g}\n"),
            ("@media (a: b) and (c) {\n", "@media (a:b) and (c){\n"),
            ("a::b { c: \"; { \"; }\n", "a::b{c:\"; { \"}\n"),
            ("a { b: calc(1px + 2px); }\n", "a{b:calc(1px + 2px)}\n"),
            ("a: b / c, d; }\n", "a:b / c, d; }\n"),
        ])
    func commentsAndBlanksAtTheBeginningOfLinesGo(source: String, bare: String) {
        #expect(String(decoding: BareSource.of(Array(source.utf8)), as: UTF8.self) == bare)
    }

    @Test(
        arguments: [
            ("a = (b, c);\n", "a=(b,c);\n"),
            ("a = /** @type {b} */ (c)\n", "a=(c)\n"),
            ("a = /** why */ (c)\n", "a=/** why */ (c)\n"),
            ("a = /** @type {b\n * c} */ (d)\n", "a=/** @type {b\n*c}*/ (d)\n"),
            ("return {a: b} ? c : d\n", "return{a:b}?c:d\n"),
            ("a - -b + +c in d\n", "a - -b + +c in d\n"),
            ("f(a, 'b, c', d)\n", "f(a,'b, c',d)\n"),
            (
                "f('b \\' , c', \"d ' , e\", f) + 'g' in h\n",
                "f('b \\' , c',\"d ' , e\",f)+ 'g' in h\n"
            ),
            ("f('{', {a: b})\n", "f('{',{a:b})\n"),
            ("f('a, b)\n = c\n", "f('a, b)\n=c\n"),
            ("f('a', `b , c`, d)\n", "f('a',`b , c`,d)\n"),
            ("f(a, `${b ? `c , d` : e} , f`, g)\n", "f(a,`${b ? `c , d` : e} , f`, g)\n"),
            ("f(`\\` , ${a}`, `b)\n", "f(`\\` , ${a}`,`b)\n"),
            ("f(a, `${b} , c`)\n", "f(a,`${b} , c`)\n"),
            ("a = `${\n  b({c: d})} , e`\n", "a=`${\nb({c:d})} , e`\n"),
            ("a = b / c ; d\n", "a=b / c ; d\n"),
            (" ", ""), ("a =", "a="), ("= a", "=a"),
            ("f(() => {\n  g();\n  // why\n});\n", "f(()=>{\ng()\n\n});\n"),
            ("  } else if (a !== b) {\n", "}else if(a!==b){\n"),
            ("} , ${a} , `\n", "} , ${a} , `\n"), ("() => { a(); }\n", "()=>{a()}\n"),
            ("};\n};\n}\n", "}\n}\n}\n"), ("a;\n [b];\n", "a;\n[b];\n"), (";\n}", "\n}"),
        ])
    func aScriptLosesTypesAndBlanksBetweenSignsToo(source: String, bare: String) {
        let made = BareSource.of(Array(source.utf8), isScript: true)
        #expect(String(decoding: made, as: UTF8.self) == bare)
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
