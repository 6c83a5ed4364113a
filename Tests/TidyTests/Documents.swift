import Foundation

/// The Markdown files of the repository.
enum Documents {
    /// Every document; read once, for all checks.
    static let all = Result { try files() }

    /// The document at a path from the package's folder on.
    static func file(at path: String) throws -> MarkdownFile {
        let text = try String(contentsOfFile: "\(SourceTree.root)/\(path)", encoding: .utf8)
        return MarkdownFile(path: path, text: text)
    }

    /// The names of the files that record a decision, in their order.
    static func decisions() throws -> [String] {
        try FileManager.default.contentsOfDirectory(
            atPath: "\(SourceTree.root)/docs/decisions"
        ).filter { $0.hasSuffix(".md") }.sorted()
    }

    /// All documents below the package's folder, without those that tools have made or fetched.
    private static func files() throws -> [MarkdownFile] {
        var found: [String] = []
        var folders = [""]
        while let folder = folders.popLast() {
            let names = try FileManager.default.contentsOfDirectory(
                atPath: "\(SourceTree.root)/\(folder)")
            for name in names where !isMadeByTools(name) {
                let path = folder.isEmpty ? name : "\(folder)/\(name)"
                if isFolder(path) { folders.append(path) }
                if name.hasSuffix(".md") { found.append(path) }
            }
        }
        return try found.sorted().map(file)
    }

    private static func isMadeByTools(_ name: String) -> Bool {
        name.hasPrefix(".build") || [".git", ".swiftpm", "__pycache__"].contains(name)
    }

    /// Whether a path is a folder; a link to one is not followed.
    private static func isFolder(_ path: String) -> Bool {
        let attributes = try? FileManager.default.attributesOfItem(
            atPath: "\(SourceTree.root)/\(path)")
        return attributes?[.type] as? FileAttributeType == .typeDirectory
    }
}
