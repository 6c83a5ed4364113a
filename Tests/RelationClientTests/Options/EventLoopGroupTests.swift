import NIOCore
import NIOEmbedded
import NIOPosix
import PeerSupport
import Testing

@testable import RelationClient

/// Clients on the event loops of their program.
@Suite(.endsWhenHung)
struct EventLoopGroupTests {
    @Test func aClientWorksOnTheLoopsThatItIsGiven() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        try await ScriptedService.run {
            $0.eventLoopGroup = group
        } _: { _ in
            .answer([])
        } _: { client, service, _ in
            try await client.read()
            #expect(service.seen.count == 1)
        }
        // Nothing of the client is left on the loops, so that they end.
        try await group.shutdownGracefully()
    }

    @Test func loopsWithoutSocketsAreRefused() throws {
        var options = ClientOptions()
        options.eventLoopGroup = EmbeddedEventLoop()
        let error = #expect(throws: OptionsError.self) { try Client(options) }
        #expect(error?.description == "eventLoopGroup: must be one of NIOPosix")
    }
}
