import Foundation
import Memory
import Protobuf
import ProtobufWitness
import PythonSupport
import Testing

/// Google's protobuf in a Python process: see `proto/witness.py`.
enum Google {
    enum Implementation: String {
        case upb, python
    }

    private static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().appendingPathComponent("proto")

    private static func run(_ arguments: [String], _ implementation: Implementation) throws {
        try Python.run(
            arguments,
            environment: ["PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION": implementation.rawValue])
    }

    /// One answer for each request; nil where Google refuses.
    static func answers(
        to requests: [String], by implementation: Implementation = .upb
    ) throws -> [[UInt8]?] {
        let scratch = FileManager.default.temporaryDirectory
            .appendingPathComponent("relation-witness-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: scratch) }
        let files = ["descriptors", "requests", "answers"].map {
            scratch.appendingPathComponent($0).path
        }
        try run(
            [
                "-m", "grpc_tools.protoc", "-I", folder.path, "--include_imports",
                "--descriptor_set_out", files[0], "witness.proto",
            ], implementation)
        try requests.joined(separator: "\n")
            .write(toFile: files[1], atomically: false, encoding: .utf8)
        try run([folder.appendingPathComponent("witness.py").path] + files, implementation)
        let lines = try String(contentsOfFile: files[2], encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        try #require(lines.count == requests.count)
        return lines.map { $0 == "error" ? nil : bytes(hex: $0) }
    }
}

func hex(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef")
    return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
}

func bytes(hex: some StringProtocol) -> [UInt8] {
    let digits = hex.utf8.map { UInt8($0 > 0x39 ? $0 - 87 : $0 - 48) }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}

/// Bytes put together: numbers as they are, strings as their UTF-8.
func wire(_ parts: any WirePart...) -> [UInt8] {
    parts.flatMap(\.wireBytes)
}

protocol WirePart {
    var wireBytes: [UInt8] { get }
}

extension Int: WirePart {
    var wireBytes: [UInt8] { [UInt8(self)] }
}

extension String: WirePart {
    var wireBytes: [UInt8] { [UInt8](utf8) }
}

extension [UInt8]: WirePart {
    var wireBytes: [UInt8] { self }
}

/// Tag, length and bytes.
func counted(_ number: UInt64, _ bytes: [UInt8]) -> [UInt8] {
    WireWriter.varint(number << 3 | 2) + WireWriter.varint(UInt64(bytes.count)) + bytes
}

/// The product's encoding, or its error.
func encode<M: CodedMessage>(_ message: M) throws(CodecError) -> [UInt8] {
    try Arena.temporary { (arena) throws(CodecError) in
        try Coder(M.self).bytes(message, arena)
    }
}

/// Decodes by the product and encodes by the witness, so that views need not outlive the arena.
func echo<M: CodedMessage>(_ type: M.Type, _ bytes: [UInt8]) throws(CodecError) -> [UInt8] {
    try Arena.temporary { (arena) throws(CodecError) in
        WireWriter.encode(try Coder(M.self).message(bytes, arena))
    }
}

/// Decodes and encodes by the witness.
func witnessEcho<M: CodedMessage>(
    _ type: M.Type, _ bytes: [UInt8]
) throws(WireReader.WireError) -> [UInt8] {
    try Arena.temporary { (arena) throws(WireReader.WireError) in
        WireWriter.encode(try WireReader.decode(M.self, bytes, arena))
    }
}

/// Decodes a message without views by the product.
func decode<M: CodedMessage>(_ type: M.Type, _ bytes: [UInt8]) throws(CodecError) -> M {
    try Arena.temporary { (arena) throws(CodecError) in
        try Coder(M.self).message(bytes, arena)
    }
}

/// The error that `body` throws.
func error<R>(_ body: () throws(CodecError) -> R) -> CodecError? {
    do {
        _ = try body()
        return nil
    } catch {
        return error
    }
}
