import Memory
import Protobuf
import RPC
import RelationAPI
import RelationModel
import Synchronization
import Testing
import Webhooks

@testable import RelationCore
@testable import RelationHooks

/// Questions go by the form of their hook.
struct AnyHookTransportTests {
    private static var ask: HookAsk {
        var item = HookAsk.Item("bob")
        item.texts = ["wording": "hello"]
        item.source = "AddSource_Type_Web"
        item.groups = ["friends"]
        item.fields = ["wording"]
        var ask = HookAsk(.addFriends, by: "ann", [item])
        ask.requestID = "r"
        ask.isDryRun = true
        ask.isOwn = true
        ask.addType = .both
        ask.administrator = "root"
        return ask
    }

    /// Asks a hook of a form whose receiver gives an answer of gRPC, and none of HTTP.
    private static func answered(
        _ form: HookForm, _ response: AskResponse, _ ask: HookAsk = ask
    ) throws -> (answered: HookSaid, question: AskRequest?) {
        var hook = HookRecord()
        hook.id = "aaaaaaaaaaaaaaaa"
        hook.url = "https://example.com"
        hook.form = form
        let sent = Mutex<HookRequest?>(nil)
        let answered = Mutex<HookSaid?>(nil)
        var answer = ReceiverAnswer(.ok)
        answer.message = try Arena.temporary { (arena) throws(CodecError) in
            try Coder(AskResponse.self).bytes(response, arena)
        }
        let transport = AnyHookTransport(
            HTTPHookTransport { _, _, done in done(.failure(cause: "HTTP", status: 500)) },
            ReceiverAsker { [answer] request, _, done in
                sent.withLock { $0 = request }
                done(.success(answer))
            })
        transport.ask(
            ask, of: hook, in: App(id: 3, settings: .tim), named: "q-1", at: 5_000, within: 2_000
        ) { end in answered.withLock { $0 = end } }
        let question = try sent.withLock { $0 }.map { request in
            try Arena.temporary { (arena) throws(CodecError) in
                try Coder(AskRequest.self).message(request.body, arena)
            }
        }
        return (try #require(answered.withLock { $0 }), question)
    }

    @Test func aQuestionByGRPCHasWhatTheOtherFormHas() throws {
        let (answered, question) = try Self.answered(.grpc, AskResponse())
        #expect(answered == .answer(nil))
        let sent = try #require(question)
        #expect((sent.id, sent.userID, sent.requestID) == ("q-1", "ann", "r"))
        #expect(sent.call == "relation.v1.FriendService/AddFriends")
        #expect((sent.dryRun, sent.ownCredential, sent.force) == (true, true, false))
        #expect(sent.addType == .both)
        #expect(sent.administrator == "root")
        let item = try #require(sent.items.first)
        #expect((item.userID, item.source) == ("bob", "AddSource_Type_Web"))
        #expect(item.texts == ["wording": "hello"])
        #expect(item.groups == ["friends"])
        #expect(item.fields == ["wording"])
    }

    @Test(
        arguments: [
            (.addFriends, "FriendService/AddFriends"),
            (.respondToApplications, "FriendApplicationService/RespondToApplications"),
            (.updateProfile, "ProfileService/UpdateProfile"), (.follow, "FollowService/Follow"),
            (.addToBlacklist, "BlacklistService/AddToBlacklist"),
            (.updateFriends, "FriendService/UpdateFriends"),
        ] as [(HookQuestion, String)])
    func aQuestionByGRPCNamesItsCall(question: HookQuestion, call: String) throws {
        var ask = Self.ask
        ask.question = question
        let sent = try #require(try Self.answered(.grpc, AskResponse(), ask).question)
        #expect(sent.call == "relation.v1.\(call)")
    }

    @Test func anAnswerByGRPCIsAVerdict() throws {
        var item = AnsweredItem()
        item.code = 38_001
        item.info = "no"
        var response = AskResponse()
        response.items = [item]
        var expected = HookVerdict()
        expected.items[0] = HookVerdict.Refusal(38_001, "no")
        #expect(try Self.answered(.grpc, response).answered == .answer(expected))
    }

    /// Words that are too long leave the refusal as it is, as by HTTP.
    @Test func longWordsOfARefusalByGRPCAreCut() throws {
        let kept = String(repeating: "a", count: Limits.hookInfoBytes - 1)
        var item = AnsweredItem()
        item.code = 38_001
        item.info = kept + "é"
        var response = AskResponse()
        response.code = 38_002
        response.info = kept + "aa"
        response.items = [item]
        var expected = HookVerdict()
        expected.all = HookVerdict.Refusal(38_002, kept + "a")
        // The limit would cut the last character in two.
        expected.items[0] = HookVerdict.Refusal(38_001, kept)
        #expect(try Self.answered(.grpc, response).answered == .answer(expected))
    }

    @Test func hooksOfOtherFormsAreAskedByHTTP() throws {
        let (answered, question) = try Self.answered(.cloudEvents, AskResponse())
        #expect(answered == .silence(cause: "HTTP", status: 500))
        #expect(question == nil)
    }
}
