import PeerSupport
import RelationAPI
import RelationModel
import Testing

@testable import RelationClient

/// The cache that a client makes itself.
@Suite(.endsWhenHung)
struct ClientProfilesTests {
    private let clock = FakeClock()

    @Test func aClientAnswersFromItsOwnCache() async throws {
        try await ProfileService.run { service in
            try await service.make("alice", "bob")
            let client = try service.client(clock) { $0.profileCache.maxAge = .seconds(60) }
            func nick(forceUpdate: Bool = false) async throws -> String? {
                try await client.profiles(of: ["bob"], as: "alice", forceUpdate: forceUpdate)
                    .first?.profile?.nick
            }
            #expect(try await nick() == "bob")
            try await service.set("bob") { $0.nick = "Bob" }
            #expect(try await nick() == "bob")
            #expect(try await nick(forceUpdate: true) == "Bob")
            try await service.set("bob") { $0.nick = "Bobby" }
            clock.advance(by: .seconds(59))
            #expect(try await nick() == "Bob")
            clock.advance(by: .seconds(1))
            #expect(try await nick() == "Bobby")
            #expect(client.profileCache.counts.requests == 3)
            client.profileCache.removeAll()
            #expect(client.profileCache.counts.entries == 0)
            await client.close()
        }
    }

    /// The clock stands still, so the entries end by nothing but the event.
    @Test func theChangesThatAClientReadsEndItsEntries() async throws {
        try await ProfileService.run { service in
            try await service.make("alice", "bob")
            try await service.add("bob", to: "alice")
            let client = try service.client(clock)
            let request = WatchRequest.with {
                $0.scope = .userID("alice")
                $0.kinds = [.profileChange]
            }
            let changes = client.changes(request).makeAsyncIterator()
            while try await changes.next()?.event?.kind != .syncCompleted {}
            let first = try await client.profiles(of: ["bob"], as: "alice")
            #expect(first.first?.profile?.nick == "bob")
            try await service.set("bob") { $0.nick = "Bob" }
            while try await changes.next()?.event?.kind != .profileChange {}
            let second = try await client.profiles(of: ["bob"], as: "alice")
            #expect(second.first?.profile?.nick == "Bob")
            await client.close()
        }
    }

    @Test func aCacheOfItsOwnIsApartFromTheClients() async throws {
        try await ProfileService.run { service in
            try await service.make("alice", "bob")
            let client = try service.client(clock)
            let cache = ProfileCache(client)
            _ = try await cache.profiles(of: ["bob"], as: "alice")
            #expect(cache.counts.entries == 1)
            #expect(client.profileCache.counts == ProfileCacheCounts())
            await client.close()
        }
    }
}
