import Foundation
import Testing

/// The documents name only things that exist, and stay within their lengths.
@Suite struct DocumentTests {
    /// The headings of a file that records a decision.
    private static let parts = ["Decision", "Why", "Refused", "In the code"]

    // MARK: Links

    @Test func everyLinkLeadsSomewhere() throws {
        let files = try Documents.all.get()
        #expect(files.contains { $0.path == "README.md" })
        var anchors: [String: Set<String>] = [:]
        for file in files { anchors[file.path] = Set(file.headings.map(\.anchor)) }
        for file in files {
            for link in file.links {
                let problem = Self.problem(with: link.target, in: file.path, anchors: anchors)
                #expect(problem == nil, "\(file.path):\(link.line): \(problem ?? "")")
            }
        }
    }

    /// The error of a link's target, or nil.
    private static func problem(
        with target: String, in path: String, anchors: [String: Set<String>]
    ) -> String? {
        if ["http://", "https://", "mailto:"].contains(where: target.hasPrefix) { return nil }
        let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = parts.first.flatMap({ String($0).removingPercentEncoding }),
            let document = name.isEmpty ? path : resolve(name, from: path)
        else { return "\(target) leads out of the repository" }
        guard FileManager.default.fileExists(atPath: "\(SourceTree.root)/\(document)") else {
            return "\(target) is not there"
        }
        guard parts.count == 2 else { return nil }
        guard anchors[document]?.contains(String(parts[1])) == true else {
            return "\(document) has no heading #\(parts[1])"
        }
        return nil
    }

    /// Resolves a relative path to one from the package's folder on; nil if it leads out of that
    /// folder.
    private static func resolve(_ target: String, from path: String) -> String? {
        guard !target.hasPrefix("/") else { return nil }
        var folders = path.split(separator: "/").dropLast().map(String.init)
        for part in target.split(separator: "/") where part != "." {
            if part != ".." {
                folders.append(String(part))
            } else if folders.popLast() == nil {
                return nil
            }
        }
        return folders.joined(separator: "/")
    }

    // MARK: Architecture and decisions

    @Test func theTableOfTargetsHasTheTargetsOfThePackage() throws {
        let architecture = try Documents.file(at: "ARCHITECTURE.md")
        let rows = architecture.rows.filter { $0.section == "The targets" }
        let targets = rows.map { $0.cells[0].filter { $0 != "`" } }
        let named = try Manifest.package.get().sourceTargets.map(\.name)
        #expect(targets.sorted() == named.sorted())
        for row in rows {
            let words = row.cells[1].split { !$0.isLetter }
            #expect(!words.contains("and"), "ARCHITECTURE.md:\(row.line): a target does two things")
            #expect(!words.isEmpty, "ARCHITECTURE.md:\(row.line)")
        }
    }

    /// The picture leaves out what follows from other arrows.
    @Test func thePictureOfTheTargetsHasTheArrowsOfThePackage() throws {
        let text = try String(
            contentsOfFile: "\(SourceTree.root)/ARCHITECTURE.md", encoding: .utf8)
        let manifest = try Manifest.package.get()
        let targets = Set(manifest.sourceTargets.map(\.name))
        var drawn: [String: Set<String>] = [:]
        let picture = text.components(separatedBy: "flowchart TB\n")[1]
            .components(separatedBy: "```")[0]
        for statement in picture.split(whereSeparator: { $0 == "\n" || $0 == ";" }) {
            let sides = statement.components(separatedBy: "-->").map { side in
                Set(
                    side.components(separatedBy: "&").map { name in
                        name.trimmingCharacters(in: .whitespaces).prefix {
                            $0.isLetter || $0.isNumber
                        }
                    }.map(String.init)
                ).intersection(targets)
            }
            for (from, to) in zip(sides, sides.dropFirst()) {
                for target in from { drawn[target, default: []].formUnion(to) }
            }
        }
        for (target, arrows) in manifest.picture {
            #expect(drawn[target] ?? [] == arrows, "\(target)")
        }
    }

    @Test func everyDecisionStandsInTheIndexByItsTitle() throws {
        let architecture = try Documents.file(at: "ARCHITECTURE.md")
        // A row has two decisions, and the last one may have one.
        let index = architecture.rows.filter { $0.section == "Decisions" }.flatMap { row in
            [Array(row.cells.prefix(2)), Array(row.cells.dropFirst(2))]
        }.filter { $0 != ["", ""] }
        let names = try Documents.decisions()
        #expect(!names.isEmpty)
        // A decision that became a chapter of another one leaves a gap, which the index explains.
        let expected = try names.map { name in
            let path = "docs/decisions/\(name)"
            let title = try Documents.file(at: path).headings.first?.text ?? ""
            let mark = "\(name.prefix(4)). "
            let number = try #require(Int(name.prefix(4)), "\(path) has no number")
            #expect(title.hasPrefix(mark), "\(path) is not headed by its number")
            return ["\(number)", "[\(title.dropFirst(mark.count))](\(path))"]
        }
        #expect(index == expected)
    }

    @Test func everyDecisionSaysWhatWhyAndWhere() throws {
        for name in try Documents.decisions() {
            let file = try Documents.file(at: "docs/decisions/\(name)")
            let headings = file.headings.filter { $0.level == 2 }
            #expect(headings.map(\.text) == Self.parts, "\(file.path)")
            #expect(file.headings.count { $0.level == 1 } == 1, "\(file.path)")
            for heading in headings {
                let isEmpty = file.lines(below: heading).allSatisfy(\.isEmpty)
                #expect(!isEmpty, "\(file.path): there is nothing below \(heading.text)")
            }
            let links = headings.last.map { last in file.links.filter { $0.line > last.line } }
            #expect(links?.isEmpty == false, "\(file.path) names no place in the code")
        }
    }

    /// The source of a diagram is not counted: a reader sees a picture in its place.
    @Test(arguments: [("ARCHITECTURE.md", 150), ("README.md", 120)])
    func aFirstPageIsShort(path: String, limit: Int) throws {
        var lines = try Documents.file(at: path).lines[...]
        if lines.last == "" { lines.removeLast() }
        var count = 0
        var isDiagram = false
        for line in lines {
            if line == "```mermaid" { isDiagram = true }
            if !isDiagram { count += 1 }
            if line == "```" { isDiagram = false }
        }
        #expect(count <= limit, "\(path) has \(count) lines beside its diagrams")
    }

    /// Of the diagrams of calls only names of targets can be wrong unseen.
    @Test func theDiagramsOfCallsNameTargetsOfThePackage() throws {
        let lines = try Documents.file(at: "ARCHITECTURE.md").lines
        let targets = Set(try Manifest.package.get().sourceTargets.map(\.name) + ["NIOHTTP1"])
        let named = lines.compactMap { $0.firstMatch(of: /^ +participant \w+ as (\w+)/)?.1 }
        #expect(named.count > 20)
        for name in named { #expect(targets.contains(String(name)), "\(name) is not a target") }
    }

    // MARK: The reader of documents

    @Test func linksAreReadOutsideCode() {
        let file = MarkdownFile(
            path: "a.md",
            text: """
                See [`A`](b.md#c) or `[x](y)`, ![d](e.png "f")
                [g]: h.md
                ```
                [i](j.md)
                ```
                [k](https://l)
                """)
        #expect(file.links.map(\.target) == ["b.md#c", "e.png", "h.md", "https://l"])
        #expect(file.links.map(\.line) == [1, 1, 2, 6])
    }

    @Test(arguments: [
        ("How it works", "how-it-works"), ("What `A` is, and why?", "what-a-is-and-why"),
        ("[Title](b.md) 2", "title-2"), ("One - two", "one---two"), ("Größe_x", "größe_x"),
    ])
    func anchorsAreMadeOfHeadings(heading: String, anchor: String) {
        #expect(MarkdownFile.anchor(of: heading) == anchor)
    }

    @Test func headingsOfOneTextHaveAnchorsOfTheirOwn() {
        let file = MarkdownFile(path: "a.md", text: "# A\n## B\ntext\n### C\n## B\n#no\n")
        #expect(file.headings.map(\.anchor) == ["a", "b", "c", "b-1"])
        #expect(file.headings.map(\.level) == [1, 2, 3, 2])
        #expect(Array(file.lines(below: file.headings[1])) == ["text", "### C"])
    }

    @Test func tablesAreReadBelowTheirHeader() {
        let text = "## A\n| x | y |\n|--:|---|\n| 1 | `b` |\n\n| z |\n|---|\n| |\n"
        let rows = MarkdownFile(path: "a.md", text: text).rows
        #expect(rows.map(\.cells) == [["1", "`b`"], [""]])
        #expect(rows.map(\.line) == [4, 8] && rows.allSatisfy { $0.section == "A" })
    }

    @Test(
        arguments: [
            ("b.md", "docs/a.md", "docs/b.md"), ("../b/", "docs/a.md", "b"), ("./x", "a.md", "x"),
            ("../b", "a.md", nil), ("/b", "a.md", nil),
        ] as [(String, String, String?)])
    func targetsAreRelativeToTheirDocument(target: String, path: String, wanted: String?) {
        #expect(Self.resolve(target, from: path) == wanted)
    }
}
