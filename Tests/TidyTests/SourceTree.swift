import Foundation

/// The files of this package that the checks look at.
enum SourceTree {
    /// The package's folder, found from this file's own place in it.
    static let root = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()

    /// Every Swift file below `Sources`; read once, for all checks.
    static let sources = Result { try files(below: "Sources") + files(below: "Benchmarks") }

    /// Every file for which the rules of style hold.
    static let everything = Result {
        try sources.get() + ["Tests", "Examples"].flatMap { try files(below: $0) }
            + [file(at: "Package.swift")]
    }

    /// The contracts, whose comments and strings are written as those of Swift.
    static let contract = Result {
        try ["proto", "Tests"].flatMap { try files(below: $0, endingIn: ".proto") }
    }

    /// The lines of every document in English, outside hidden folders and those of a build.
    static let documents = Result {
        try FileManager.default.contentsOfDirectory(atPath: root)
            .filter { !$0.hasPrefix(".") }.sorted()
            .flatMap { $0.hasSuffix(".md") ? [$0] : paths(below: $0, endingIn: ".md") }
            .filter { !$0.contains("zh-CN") }.map(text)
    }

    /// The lines of all other files that people write: documents, contracts, scripts, settings,
    /// programs in other languages.
    static let texts = Result {
        let folders = try FileManager.default.contentsOfDirectory(atPath: root)
            .filter { !$0.hasPrefix(".") || $0 == ".ci" || $0 == ".github" }.sorted()
        return try folders.flatMap { isText($0) ? [$0] : paths(below: $0, endingIn: "") }
            .filter(isText).map(text)
    }

    private static let endings: Set<Substring> = [
        "md", "proto", "js", "mjs", "ts", "html", "css", "py", "yml", "yaml", "tpl", "sql", "c",
        "h", "cc", "go", "java", "php", "rb", "cs", "lua", "sh", "conf", "service",
    ]

    /// Programs and settings without an ending.
    private static let names: Set<Substring> = [
        "Makefile", "Dockerfile", "Caddyfile", "run", "build", "install", "release", "module",
        "chart", "tar", "set-address", "make-package", "install-package",
    ]

    private static func isText(_ path: String) -> Bool {
        let name = path.split(separator: "/").last ?? ""
        let parts = name.split(separator: ".")
        let isKnown = names.contains(name) || parts.count > 1 && endings.contains(parts.last ?? "")
        return isKnown && !path.contains("node_modules/")
    }

    private static func text(
        at path: String
    ) throws -> (path: String, lines: [(number: Int, text: String)]) {
        let text = try String(contentsOfFile: "\(root)/\(path)", encoding: .utf8)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return (path, lines.enumerated().map { ($0 + 1, String($1)) })
    }

    /// All files below `folder` with that ending, in the order of their paths.
    private static func files(
        below folder: String, endingIn ending: String = ".swift"
    ) throws -> [SourceFile] {
        try paths(below: folder, endingIn: ending).map(file)
    }

    /// Hidden folders are left out: a build of an example has files of others in one.
    private static func paths(below folder: String, endingIn ending: String) -> [String] {
        let names = FileManager.default.enumerator(atPath: "\(root)/\(folder)")?.allObjects
        return (names ?? []).compactMap { $0 as? String }
            .filter { $0.hasSuffix(ending) && !$0.hasPrefix(".") && !$0.contains("/.") }.sorted()
            .map { "\(folder)/\($0)" }
    }

    private static func file(at path: String) throws -> SourceFile {
        SourceFile(
            path: path, text: try String(contentsOfFile: "\(root)/\(path)", encoding: .utf8))
    }
}
