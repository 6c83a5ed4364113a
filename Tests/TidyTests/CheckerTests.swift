import Testing

/// Tests of the checks themselves, on snippets that break a rule and on snippets that only seem to.
@Suite struct CheckerTests {
    private static func file(_ text: String, in target: String = "GRPC") -> SourceFile {
        SourceFile(path: "Sources/\(target)/File.swift", text: text)
    }

    /// `count` short lines, as the body of a function.
    private static func lines(_ count: Int) -> String {
        String(repeating: "    x += 1\n", count: count)
    }

    @Test(arguments: [
        (#"let a = 1 // b "c""#, "let a = 1 ", #"// b "c""#),
        (#"f("// no", b) /* yes /* two */ */ + 1"#, #"f("", b)  + 1"#, "/* yes /* two */ */"),
        (##"let s = #"a " \(x) // \#(y("in")) b"# // c"##, #"let s = "y("")" "#, "// c"),
        (#"let s = "\\" // c"#, #"let s = "" "#, "// c"),
        (#"let s = "a \(f("b", (1))) c" + d"#, #"let s = "f("", (1))" + d"#, ""),
    ])
    func codeAndCommentsAreDistinguished(text: String, code: String, comment: String) {
        let line = Self.file(text).lines[1]
        #expect(line.text == text)
        #expect(line.code == code)
        #expect(line.comment == comment)
    }

    @Test func longStringsEndWhereTheyEnd() {
        let file = Self.file("let s = \"\"\"\n  try! \"quoted\" // no\n  \"\"\" // yes\ntry! x\n")
        #expect(file.lines.count == 5)
        #expect(file.lines[2].code.isEmpty && file.lines[2].comment.isEmpty)
        #expect(file.lines[3].comment == "// yes")
        #expect(StyleRules.forbiddenCode(in: file).map(\.line) == [4])
    }

    @Test(arguments: [
        ("import HTTP2", "GRPC", true), ("package import HTTP2", "GRPC", true),
        ("import CNghttp2", "HTTP2", true), ("import CNghttp2", "GRPC", false),
        ("import Protobuf", "RelationCore", true), ("import GRPC", "RelationCore", false),
        ("import RelationService", "GRPC", false), ("import Foundation", "GRPC", false),
        ("import struct Foundation.Data", "GRPC", false),
        ("@preconcurrency internal import NIOHTTP2", "GRPC", false),
        ("// import Foundation", "GRPC", true), ("import Storage", "NoSuchRoom", false),
    ])
    func anImportThatIsNotDeclaredIsFound(text: String, target: String, isAllowed: Bool) throws {
        let findings = ImportRules.findings(
            in: Self.file(text, in: target), try Manifest.package.get())
        #expect(findings.isEmpty == isAllowed)
    }

    @Test func aManifestIsReadTargetByTarget() {
        let manifest = Manifest(
            """
            let targets: [Target] = [
                // C
                .systemLibrary(name: "CZ", path: "Tests/CZ"),

                library("Low", ["CZ"]),
                library(
                    "Middle",
                    [
                        "Low", crypto,
                    ] + nio),
                executable("top", ["Low", "Middle", .product(name: "NIOCore", package: "Low-1")]),
                tool("a-tool", "Folder", ["Middle"], exclude: ["README.md"]),
                tests("LowTests", ["Low"]),
            ]

            let other = "Low"
            let package = Package(
                products: chosen == nil
                    ? ["Middle"].map { .library(name: $0, targets: [$0]) } : [],
                dependencies: [.package(url: "other", from: "1.0.0")])
            """)
        #expect(manifest.products == ["Middle"])
        #expect(manifest.closure(of: ["Middle"]) == ["CZ", "Low", "Middle"])
        #expect(manifest.closure(of: ["LowTests", "a-tool"]).isSuperset(of: ["CZ", "LowTests"]))
        #expect(
            manifest.targets.map(\.name) == ["CZ", "Low", "Middle", "top", "a-tool", "LowTests"])
        #expect(
            manifest.targets.map(\.folder) == [
                nil, "Sources/Low", "Sources/Middle", "Sources/top", "Tests/Folder",
                "Tests/LowTests",
            ])
        #expect(
            manifest.targets.map(\.dependencies) == [
                [], ["CZ"], ["Low"], ["Low", "Middle"], ["Middle"], ["Low"],
            ])
        #expect(manifest.picture == ["Low": [], "Middle": ["Low"], "top": ["Middle"]])
        let files = [
            SourceFile(path: "Sources/Low/A.swift", text: "import CZ"),
            SourceFile(path: "Sources/top/A.swift", text: "import Middle"),
        ]
        #expect(
            ImportRules.unused(manifest, files) == [
                "LowTests declares Low, and imports it nowhere",
                "Middle declares Low, and imports it nowhere",
                "a-tool declares Middle, and imports it nowhere",
                "top declares Low, and imports it nowhere",
            ])
    }

    @Test(arguments: [
        ("func f() {\n%}", 68, 0), ("func f() {\n%}", 69, 1), ("init?(_ x: Int) {\n%}", 69, 1),
        ("struct A {\n    func f()\n    var g: Int { 1 }\n%}", 90, 0),
        ("protocol P {\n    init()\n}\nenum E {\n%}", 90, 0),
        ("func f(\n    x: () -> Int = { 1 }\n) throws(E) -> [Int] where T: P {\n%}", 69, 1),
        ("let f = A.init(x)\nstruct B {\n%}", 90, 0),
        ("func `init`() { }\nenum E {\n%}", 90, 0),
        ("func f() {\n    func g() {\n%    }\n    g()\n}", 65, 0),
        ("func f() {\n    func g() {\n%    }\n    g()\n}", 69, 2),
    ])
    func aLongFunctionIsFound(text: String, count: Int, findings: Int) {
        let parts = text.split(separator: "%", omittingEmptySubsequences: false)
        let file = Self.file(parts.joined(separator: Self.lines(count)))
        #expect(StyleRules.longFunctions(in: file).count == findings)
    }

    @Test func aLongFileNeedsAReason() {
        let long = Self.lines(600)
        #expect(StyleRules.longFile(in: Self.file(long)).isEmpty)
        #expect(StyleRules.longFile(in: Self.file(long + "x\n")).count == 1)
        #expect(StyleRules.longFile(in: Self.file("// It is long.\n" + long)).count == 1)
        let excused = "// It is\n// long because of this.\n" + long
        #expect(StyleRules.longFile(in: Self.file(excused)).isEmpty)
        #expect(StyleRules.longFile(in: Self.file(long + "// long because\n")).count == 1)
    }

    @Test func aLongLineIsFound() {
        let line = String(repeating: "é", count: 100)
        #expect(StyleRules.longLines(in: Self.file(line)).isEmpty)
        #expect(StyleRules.longLines(in: Self.file("a\n" + line + "b")).map(\.line) == [2])
    }

    @Test(arguments: [
        ("// TODO: later", 1), ("x() // FIXME", 1), ("let a = \"TODO\"", 0), ("// todos", 0),
    ])
    func aPromiseIsFound(text: String, count: Int) {
        #expect(StyleRules.promises(in: Self.file(text)).count == count)
    }

    @Test(arguments: [
        ("let a = try! f()", 1), ("nonisolated(unsafe) var a = 1", 1), ("// try! f()", 0),
        ("let a = \"try!\"", 0), ("let a = \"\\(try! f())\"", 1), ("try f()", 0),
    ])
    func aSwitchedOffCheckIsFound(text: String, count: Int) {
        #expect(StyleRules.forbiddenCode(in: Self.file(text)).count == count)
    }

    @Test(arguments: [
        ("_ = done.wait(timeout: .now() + 1)", 1), ("done.wait()", 0),
        ("_ = done.wait(wallTimeout: .now() + 1)", 1), ("// done.wait(timeout: 1)", 0),
    ])
    func aWaitByTheWallClockIsFound(text: String, count: Int) {
        #expect(StyleRules.waitsByTheWallClock(in: Self.file(text)).count == count)
    }

    @Test(arguments: [
        ("extension A: @unchecked Sendable {}", 1),
        ("// Only its loop uses it.\nextension A: @unchecked Sendable {}", 0),
        ("// Far away.\n\n\n\nfatalError()", 1), ("// Near.\n\n\nfatalError()", 0),
        ("let u = Unmanaged.passUnretained(self) // It outlives the call.", 0),
        ("let u = \"Unmanaged\"", 0),
    ])
    func anUnexplainedLineIsFound(text: String, count: Int) {
        #expect(StyleRules.unexplainedCode(in: Self.file(text)).count == count)
    }

    @Test(arguments: [
        ("final class StreamManager {}", 1), ("enum Utils {}", 1), ("struct Base64Text {}", 0),
        ("protocol BaseStore {}", 1), ("struct Implicit {}", 0), ("class func makeBase() {}", 0),
        ("typealias StoreImpl = Int", 1), ("let a = SomeManager()", 0),
    ])
    func anEmptyNameIsFound(text: String, count: Int) {
        #expect(StyleRules.emptyNames(in: Self.file(text)).count == count)
    }

    @Test(arguments: [
        ("$0.friendCount -= 1", 1), ("record.count -= UInt32(gone)", 1),
        ("counts[end.type] -= 1", 1), ("$0.friendCount.decrease()", 0), ("count -= 1", 0),
        ("state.waiting -= 1", 0), ("let a = x.count - 1", 0), ("$0.friendCount += 1", 0),
    ])
    func aPlainSubtractionFromAStoredCountIsFound(text: String, count: Int) {
        let fields = "var friendCount: UInt32 = 0\n    var count: Int64 = 0"
        let row = Self.file("struct Row: CodedMessage {\n    \(fields)\n}")
        let other = Self.file("struct Other {\n    var waiting: Int64 = 0\n}")
        let names = CountRules.storedNumbers(in: [row, other])
        #expect(names == ["friendCount", "count"])
        #expect(
            CountRules.plainSubtractions(from: names, in: Self.file(text)).count == count)
    }

    @Test func aTypeNamedLikeItsModuleIsFound() {
        let file = Self.file("enum GRPC {}\nstruct Storage {}\n")
        #expect(StyleRules.modulesNamedLikeTypes(in: file).map(\.line) == [1])
    }

    @Test(arguments: [
        ("public struct A {}", 1), ("/// An A.\npublic struct A {}", 0), ("struct A {}", 0),
        ("/// An A.\n@frozen\npublic struct A {}", 0), ("@frozen\npublic struct A {}", 1),
        ("// no\npublic final class A {}", 1),
    ])
    func anUndocumentedPublicTypeIsFound(text: String, count: Int) {
        #expect(StyleRules.undocumentedTypes(in: Self.file(text)).count == count)
    }
}
