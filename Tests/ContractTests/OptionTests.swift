import Foundation
import Protobuf
import RelationAPI
import Testing

/// The options of the contract's files and calls.
@Suite struct OptionTests {
    private static func files() throws -> [FileDescriptorProto] {
        try ContractFiles.compiled().files.filter { $0.package == "relation.v1" }
    }

    /// CheckIntegrity is a call that reads, and repairs what it finds if the request says so.
    ///
    /// CreateBackup reads the rows, and makes files.
    private static let repairing: Set = ["CheckIntegrity", "CreateBackup"]

    @Test func aCallThatOnlyReadsSaysSo() throws {
        let calls = try Self.files().flatMap(\.services).flatMap(\.methods)
        let silent = Set(calls.filter { $0.options?.idempotencyLevel == 1 }.map(\.name))
        let reading = Set(ServiceTable.all.filter { $0.access != .write }.map(\.name))
        #expect(Self.repairing.isSubset(of: reading))
        #expect(silent == reading.subtracting(Self.repairing))
        // No other level is used: NO_SIDE_EFFECTS, or none.
        #expect(calls.allSatisfy { [0, 1].contains($0.options?.idempotencyLevel ?? 0) })
    }

    /// The project's address without the protocol: a host, and a path.
    private static func address() throws -> String {
        let file = ContractFiles.root.appending(path: "Packaging/address.txt")
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(text.hasPrefix("https://") && text.hasSuffix("\n"))
        return String(text.dropFirst("https://".count).dropLast())
    }

    @Test func everyFileHasTheOptionsOfEveryLanguage() throws {
        let files = try Self.files()
        let address = try Self.address()
        let host = String(address.prefix { $0 != "/" })
        // A Java package begins with the domain of its owner.
        let java = host.split(separator: ".").reversed().joined(separator: ".") + ".relation.v1"
        #expect(files.count > 10)
        for file in files {
            let options = try #require(file.options, "\(file.name)")
            let stem = URL(filePath: file.name).deletingPathExtension().lastPathComponent
            #expect(options.javaPackage == java, "\(file.name)")
            #expect(options.javaMultipleFiles, "\(file.name)")
            // Without it, a message that has the file's name would rename the class of the file.
            #expect(options.javaOuterClassname == "\(stem.capitalized)Proto")
            // `go get` takes the path below the address of the repository.
            #expect(
                options.goPackage == "\(address)/gen/go/relation/v1;relationv1", "\(file.name)")
            #expect(options.objcClassPrefix == "RLN", "\(file.name)")
            #expect(options.csharpNamespace == "Relation.V1", "\(file.name)")
            #expect(options.swiftPrefix == "Relation", "\(file.name)")
            #expect(options.phpNamespace == "Relation\\V1", "\(file.name)")
            #expect(options.rubyPackage == "Relation::V1", "\(file.name)")
        }
    }

    @Test func theExceptionsOfTheLintStandInItsSettings() throws {
        let folder = ContractFiles.root.appending(path: "proto")
        let settings = try String(
            contentsOf: folder.appending(path: "buf.yaml"), encoding: .utf8)
        #expect(settings.contains("name: buf.build/"))
        #expect(settings.contains("ignore_only:"))
        for file in try Self.files() {
            let text = try String(contentsOf: folder.appending(path: file.name), encoding: .utf8)
            #expect(!text.contains("buf:lint"), "\(file.name)")
        }
    }
}
