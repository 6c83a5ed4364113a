import GRPC
import Logging
import RelationAPI
import RelationClient
import RelationCore
import RelationModel
import RelationService
import Storage
import Testing

@testable import RelationAdmission

/// The effects of a client's options on its calls.
struct OptionsTests {
    /// Runs `body` with a client of a server that has one app.
    private func withClient(
        _ options: (inout ClientOptions) -> Void, _ body: (Client) async throws -> Void
    ) async throws {
        var settings = AppSettings.tim
        settings.makesAccountsImplicitly = true
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let server = try RelationServer(
            store: MemoryStore(), door: .open(to: Apps([App(id: 1, settings: settings)])),
            configuration: ServerConfiguration(), descriptors: Contract.descriptors, logger: logger)
        var chosen = ClientOptions(port: try await server.start().port)
        options(&chosen)
        let client = try Client(chosen)
        try await body(client)
        await client.close()
        await server.stop()
    }

    /// The end of a call that adds `count` friends.
    private func add(_ count: Int, _ client: Client) async throws -> String {
        var request = AddFriendsRequest()
        request.userID = "ann"
        for number in 0..<count {
            var item = AddFriend()
            item.userID = "friend \(number)"
            request.items.append(item)
        }
        do {
            _ = try await client.call(FriendMethods.addFriends, request)
            return "OK"
        } catch let error as CallError {
            return error.code
        }
    }

    @Test func aRequestThatIsTooLongIsNotSent() async throws {
        try await withClient {
            $0.maxSentMessageBytes = 100
        } _: { client in
            let few = try await add(1, client)
            #expect(few == "OK")
            let many = try await add(20, client)
            #expect(many == "RESOURCE_EXHAUSTED")
        }
    }

    @Test func anAnswerThatIsTooLongIsNotTaken() async throws {
        try await withClient {
            $0.maxReceivedMessageBytes = 100
        } _: { client in
            let few = try await add(1, client)
            #expect(few == "OK")
            let many = try await add(20, client)
            #expect(many == "RESOURCE_EXHAUSTED")
        }
    }
}
