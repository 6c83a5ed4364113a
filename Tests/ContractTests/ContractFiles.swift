import Foundation
import Memory
import Protobuf
import PythonSupport

/// The .proto files, compiled by Google's compiler.
enum ContractFiles {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The package, found from this file.
    static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The contract that the project's own folder declares.
    static func compiled() throws -> FileDescriptorSet {
        try compile(root.appending(path: "proto"))
    }

    /// The contract that the folder would declare if `old` were `new` in one of its files.
    ///
    /// - Throws: ``Failure`` if the file does not contain `old`.
    static func compiled(
        replacing old: String, by new: String, in file: String
    ) throws -> FileDescriptorSet {
        try inTemporaryFolder { folder in
            let copy = folder.appending(path: "proto")
            try FileManager.default.createDirectory(
                at: copy.appending(path: "relation"), withIntermediateDirectories: true)
            let package = "relation/v1"
            try FileManager.default.copyItem(
                at: root.appending(path: "proto").appending(path: package)
                    .resolvingSymlinksInPath(),
                to: copy.appending(path: package))
            let changed = copy.appending(path: package).appending(path: file)
            let text = try String(contentsOf: changed, encoding: .utf8)
            guard text.contains(old) else { throw Failure(description: "\(file): no \(old)") }
            try text.replacing(old, with: new, maxReplacements: 1)
                .write(to: changed, atomically: true, encoding: .utf8)
            return try compile(copy)
        }
    }

    /// The service that apps implement, with the messages of the contract that it imports.
    static func ofReceivers() throws -> FileDescriptorSet {
        try compile(root.appending(path: "proto"), "relation/hook/v1")
    }

    private static func compile(
        _ folder: URL, _ package: String = "relation/v1"
    ) throws -> FileDescriptorSet {
        try inTemporaryFolder { temporary in
            let output = temporary.appending(path: "set.binpb")
            try compile(folder, package, into: output)
            let bytes = [UInt8](try Data(contentsOf: output))
            return try Arena.temporary { (arena) throws(CodecError) in
                try Coder(FileDescriptorSet.self).message(bytes, arena)
            }
        }
    }

    /// Compiles every file of the package below `folder` to a descriptor set, imports included.
    static func compile(
        _ folder: URL, _ package: String = "relation/v1", into output: URL
    ) throws {
        let base = folder.resolvingSymlinksInPath()
        let package = base.appending(path: package)
        let files = try FileManager.default.contentsOfDirectory(atPath: package.path)
            .filter { $0.hasSuffix(".proto") }.sorted()
        try Python.run(
            [
                "-m", "grpc_tools.protoc", "-I", base.path,
                "--include_imports", "--descriptor_set_out", output.path,
            ] + files.map { package.appending(path: $0).path })
    }

    static func inTemporaryFolder<Result>(_ body: (URL) throws -> Result) throws -> Result {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "contract-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try body(folder)
    }
}
