import GRPC
import Logging
import Memory
import PeerSupport
import Protobuf
import ProtobufWitness
import RelationAPI
import RelationClient
import Testing

/// Parts of answers are kept beyond their calls, and read then.
///
/// The memory of a call is given back when the call ends. So a view into it would be seen here,
/// best under AddressSanitizer.
@Suite(.endsWhenHung)
struct KeptAnswersTests {
    /// A part of an answer that was kept, and the text that it must have.
    private struct Kept {
        let part: Any
        let text: String
        let path: String
    }

    /// Makes a call, and keeps the parts of its answer alone.
    private func keep<M: TypedMethod>(
        _ call: M, seed: UInt64, _ client: Client, _ service: AnsweringService
    ) async throws -> [Kept] {
        let method = call.method
        let (bytes, texts) = try Arena.temporary { (arena) throws(CodecError) in
            // So rare that every field is set.
            var random = RandomMessages(seed: seed, arena, rarity: .max)
            let message = random.next(M.Response.self)
            return (try method.responseCoder.bytes(message, arena), parts(of: message).map(\.text))
        }
        service.answer(method.path, with: bytes)
        let kept = parts(of: try await answer(to: method, client))
        #expect(kept.map(\.text) == texts, "seed \(seed): \(method.path)")
        #expect(!kept.isEmpty || M.Response.schema.fields.isEmpty)
        return zip(kept, texts).map { Kept(part: $0.part, text: $1, path: method.path) }
    }

    private func answer<Request: Message, Response: Message>(
        to method: Method<Request, Response>, _ client: Client
    ) async throws -> Response {
        guard method.shape != .unary else { return try await client.call(method, Request()) }
        let stream = client.stream(method)
        try await stream.send(Request())
        stream.finishSending()
        let answer = try #require(try await stream.next())
        #expect(try await stream.next() == nil)
        return answer
    }

    private func parts<M: Message>(of message: M) -> [(part: Any, text: String)] {
        Mirror(reflecting: message).children.map { ($0.value, String(reflecting: $0.value)) }
    }

    @Test func everyPartOfEveryAnswerOutlivesItsCall() async throws {
        let seed = UInt64.random(in: 0..<1_000_000)
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let service = AnsweringService()
        let server = Server(
            configuration: ServerConfiguration(), dispatchers: [service], logger: logger)
        let client = Client(host: "127.0.0.1", port: try await server.start().port)
        var kept: [Kept] = []
        for method in ServiceTable.all {
            kept += try await keep(method.typed, seed: seed, client, service)
        }
        await client.close()
        await server.shutDownGracefully()
        #expect(kept.count > ServiceTable.all.count)
        for part in kept {
            #expect(
                String(reflecting: part.part) == part.text, "seed \(seed): \(part.path)")
        }
    }
}
