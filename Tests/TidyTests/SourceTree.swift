import Foundation

/// The Swift files of this package.
enum SourceTree {
    /// The package's folder, found from this file's own place in it.
    static let root = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()

    /// Every Swift file below `Sources`; read once, for all checks.
    static let sources = Result { try files(below: "Sources") }

    /// Everything that the rules of style hold for.
    static let everything = Result {
        try sources.get() + files(below: "Tests") + files(below: "Examples")
            + [file(at: "Package.swift")]
    }

    /// All files below `folder` that end in `.swift`, in the order of their paths.
    private static func files(below folder: String) throws -> [SourceFile] {
        let names = FileManager.default.enumerator(atPath: "\(root)/\(folder)")?.allObjects
        return try (names ?? []).compactMap { $0 as? String }
            .filter { $0.hasSuffix(".swift") }.sorted()
            .map { try file(at: "\(folder)/\($0)") }
    }

    private static func file(at path: String) throws -> SourceFile {
        SourceFile(
            path: path, text: try String(contentsOfFile: "\(root)/\(path)", encoding: .utf8))
    }
}
