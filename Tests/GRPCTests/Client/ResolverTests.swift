import NIOCore
import NIOPosix
import PeerSupport
import Testing

@testable import GRPC
@testable import GRPCClient

/// The system's resolver, and channels that use it.
@Suite(.endsWhenHung)
struct ResolverTests {
    private let eventLoop = MultiThreadedEventLoopGroup.singleton.next()

    private func resolve(_ host: String) async throws -> [SocketAddress] {
        try await SystemResolver().addresses(of: host, port: 7450, on: eventLoop).get()
    }

    @Test func thisMachineHasAnAddress() async throws {
        let found = try await resolve("localhost")
        #expect(found.contains { ["127.0.0.1", "::1"].contains($0.ipAddress) })
        #expect(found.allSatisfy { $0.port == 7450 })
        #expect(Set(found).count == found.count)
    }

    @Test func addressesAreTheirOwn() async throws {
        #expect(try await resolve("127.0.0.7").map(\.ipAddress) == ["127.0.0.7"])
        #expect(try await resolve("::1").map(\.ipAddress) == ["::1"])
    }

    @Test func aNameThatDoesNotExistFails() async throws {
        // RFC 6761 keeps this name for what does not exist.
        await #expect(throws: ResolverError.self) { try await resolve("relation.invalid") }
    }

    @Test func aChannelConnectsByName() async throws {
        try await LiveServer.run { (_, address, _) async throws in
            // The server listens at one address of the name at most.
            let channel = Channel(ClientConfiguration(host: "localhost", port: address.port))
            #expect(try await channel.unary("/test.Echo/Unary", [1]) == [1])
            await channel.close()
        }
    }
}
