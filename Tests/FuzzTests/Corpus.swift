import Foundation

/// The inputs that are kept for each target: real traffic, random inputs that proved interesting,
/// and every input that once broke something.
enum Corpus {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Corpus")

    struct Input: Sendable {
        let name: String
        let bytes: [UInt8]
    }

    /// The inputs of a target, in the order of their names.
    static func inputs(of target: FuzzTarget) throws -> [Input] {
        let folder = folder.appendingPathComponent(target.name)
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().map {
            Input(
                name: "\(target.name)/\($0)",
                bytes: try read(folder.appendingPathComponent($0)))
        }
    }

    static func read(_ file: URL) throws -> [UInt8] {
        Array(try Data(contentsOf: file))
    }
}
