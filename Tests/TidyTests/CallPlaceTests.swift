import Foundation
import Testing

/// Every call of the contract stands in each of the places that `docs/add-a-call.md` lists.
@Suite struct CallPlaceTests {
    /// A call as its `rpc` line has it.
    private struct Call {
        let service: String
        let name: String
        let request: String
        let response: String

        /// The folder of the call's service in every target.
        var noun: String {
            let noun = service.replacing("Service", with: "")
            return ["FriendGroup": "Group", "FriendApplication": "Application"][noun] ?? noun
        }

        var method: String {
            let first = name.prefix(1).lowercased() + name.dropFirst()
            return first.hasSuffix("Id") ? first.dropLast(2) + "ID" : first
        }

        func filled(_ text: String) -> String {
            text.replacing("NOUN", with: noun).replacing("METHOD", with: method)
                .replacing("REQUEST", with: request).replacing("RESPONSE", with: response)
                .replacing("NAME", with: name)
        }
    }

    /// A row of the page's table: which files, and which text, or another, in one of them.
    private struct Place {
        let files: String
        let texts: [String]
    }

    private static func calls() throws -> [Call] {
        try files(of: "proto/relation/v1/*.proto").flatMap { path in
            var service = ""
            return try text(of: path).split(separator: "\n").compactMap { line -> Call? in
                if let match = line.firstMatch(of: /^service (\w+)/) { service = "\(match.1)" }
                let rpc = /rpc (\w+)\((?:stream )?(\w+)\) returns \((?:stream )?(\w+)\)/
                return line.firstMatch(of: rpc).map {
                    Call(
                        service: service, name: "\($0.1)", request: "\($0.2)",
                        response: "\($0.3)")
                }
            }
        }
    }

    private static func places() throws -> [Place] {
        try text(of: "docs/add-a-call.md").split(separator: "\n").compactMap { line in
            line.firstMatch(of: /^\| [0-9]+ \| `([^`]+)` \| ((?:`[^`]+`(?: or )?)+) \|/).map {
                Place(
                    files: "\($0.1)",
                    texts: $0.2.matches(of: /`([^`]+)`/).map { "\($0.1)" })
            }
        }
    }

    private static func text(of path: String) throws -> String {
        try String(contentsOfFile: "\(SourceTree.root)/\(path)", encoding: .utf8)
    }

    /// The files that a path names whose last part may have a star.
    private static func files(of pattern: String) throws -> [String] {
        let parts = pattern.split(separator: "/")
        let folder = parts.dropLast().joined(separator: "/")
        let name = String(parts[parts.count - 1])
        guard let star = name.firstIndex(of: "*") else { return [pattern] }
        let (head, tail) = (name[..<star], name[name.index(after: star)...])
        return try FileManager.default.contentsOfDirectory(atPath: "\(SourceTree.root)/\(folder)")
            .filter { $0.hasPrefix(head) && $0.hasSuffix(tail) }.sorted()
            .map { "\(folder)/\($0)" }
    }

    /// Whether one of the files has the text; line breaks count as spaces.
    ///
    /// Many calls stand in one file, whose words are read once.
    private static func holds(
        _ place: Place, _ call: Call, words: inout [String: String]
    ) throws -> Bool {
        try files(of: call.filled(place.files)).contains { path in
            let known =
                try words[path]
                ?? text(of: path).split(whereSeparator: \.isWhitespace).joined(separator: " ")
            words[path] = known
            return place.texts.contains { known.contains(call.filled($0)) }
        }
    }

    @Test func everyCallStandsInEachPlaceThatThePageNames() throws {
        let (calls, places) = (try Self.calls(), try Self.places())
        #expect(calls.count > 70 && places.count == 6)
        var words: [String: String] = [:]
        for call in calls {
            for place in places {
                let files = call.filled(place.files)
                let isThere = (try? Self.holds(place, call, words: &words)) ?? false
                #expect(isThere, "\(call.name): no \(call.filled(place.texts[0])) in \(files)")
            }
        }
    }

    /// The list of places is whole: only the folders of a call's noun name its method.
    ///
    /// Watch is an exception: `RelationChanges` is the target of that one stream. The client
    /// library is another: its lists, its changes and its cache are code over single calls. The
    /// list of all calls is made from the contract.
    @Test func noOtherSourceNamesACall() throws {
        let calls = try Self.calls()
        for file in try SourceTree.sources.get()
        where file.path.hasPrefix("Sources/Relation")
            && !file.path.hasPrefix("Sources/RelationClient/")
            && file.path != "Sources/RelationAPI/ServiceTable+Calls.swift"
        {
            for index in file.tokens.indices.dropFirst(2) {
                let found = file.tokens[(index - 2)...index].map(\.text)
                guard found[0].hasSuffix("Methods"), found[1] == ".",
                    let call = calls.first(where: {
                        "\($0.noun)Methods" == found[0] && $0.method == found[2]
                    }), call.name != "Watch"
                else { continue }
                let folders = file.path.split(separator: "/").dropFirst(2).dropLast()
                #expect(
                    folders.first.map(String.init) == call.noun,
                    "\(file.path):\(file.tokens[index].line) names \(call.name)")
            }
        }
    }
}
