import GRPC
import PeerSupport
import RelationAPI
import RelationModel
import Testing

@testable import RelationClient

/// Streams whose readers are slow, beside calls of the same client.
@Suite(.endsWhenHung)
struct SlowReaderTests {
    @Test(arguments: [8, 64, 200])
    func watchersThatDoNotReadHoldNoCall(watchers: Int) async throws {
        let watch = ScriptedWatch()
        let (server, port) = try await watch.start()
        let client = Client(host: "127.0.0.1", port: port)
        let flooding = Task {
            let long = String(repeating: "x", count: 16_000)
            for await stream in watch.opened {
                // More than any window takes.
                for number in 0..<20 { try stream.send(token: long, Int64(number)) }
            }
        }
        var readers: [Changes.AsyncIterator] = []
        for _ in 0..<watchers {
            let reader = client.changes(
                WatchRequest.with { $0.scope = .userID("a") }, options: .init(heartbeat: nil)
            )
            .makeAsyncIterator()
            readers.append(reader)
            #expect(try await reader.next()?.event?.sequence == 0)
        }
        // The service has no such call, and says so at once.
        let error = await failure {
            try await client.read(options: CallOptions(timeout: .untilHung))
        }
        #expect(error?.code == .unimplemented)
        // The messages that were not read are there.
        #expect(try await readers[0].next()?.event?.sequence == 1)
        watch.close()
        try await flooding.value
        await client.close()
        await server.shutDownGracefully()
    }
}
