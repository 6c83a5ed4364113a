import Foundation
import PeerSupport
import PythonSupport
import Testing

@testable import GRPC

/// Our server, called by clients that share no code with it.
@Suite(.endsWhenHung)
struct ForeignClientTests {
    @Test(arguments: [1, 2])
    func theOfficialClientGetsWhatItShould(loops: Int) async throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "descriptors-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let set = folder.appending(path: "set.bin")
        let proto = LiveServer.script("echo.proto")
        _ = try await Python.module(
            "grpc_tools.protoc",
            [
                "-I\(proto.deletingLastPathComponent().path)", "--include_imports",
                "--descriptor_set_out=\(set.path)", proto.path,
            ])
        let bytes = Array(try Data(contentsOf: set))
        try await LiveServer.run(loops: loops, reflection: bytes) { (_, address, _) async throws in
            let text = try await Python.run(
                LiveServer.script("grpcio_client.py"), ["\(address.port)"])
            #expect(text.components(separatedBy: "passed").count == 17)
        }
    }

    @Test func rawFramesAreAnsweredByTheRules() async throws {
        try await LiveServer.run { (_, address, _) async throws in
            let text = try await Python.run(LiveServer.script("raw_client.py"), ["\(address.port)"])
            #expect(text == "passed\n")
        }
    }
}
