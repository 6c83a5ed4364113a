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

/// Questions to receivers of gRPC.
struct ReceiverAskerTests {
    /// Asks with an answer of the receiver; the request that it got comes back too.
    private static func asked(
        _ reply: Result<ReceiverAnswer, WebhookFailure>
    ) throws -> (end: ReceiverAsker.End, request: HookRequest) {
        var hook = HookRecord()
        hook.id = "aaaaaaaaaaaaaaaa"
        hook.url = "https://example.com"
        hook.form = .grpc
        let got = Mutex<(ReceiverAsker.End?, HookRequest?)>((nil, nil))
        let asker = ReceiverAsker { request, milliseconds, done in
            #expect(milliseconds == 2_000)
            got.withLock { $0.1 = request }
            done(reply)
        }
        asker.ask(
            question, of: hook, in: App(id: 3, settings: .tim), at: 5_000, within: 2_000
        ) { end in got.withLock { $0.0 = end } }
        let (end, request) = got.withLock { $0 }
        return (try #require(end), try #require(request))
    }

    private static var question: AskRequest {
        var item = AskItem()
        item.userID = "bob"
        item.texts = ["wording": "hello"]
        item.responseType = .agree
        var question = AskRequest()
        question.id = "q-1"
        question.call = "relation.v1.FriendService/AddFriends"
        question.userID = "ann"
        question.items = [item, AskItem()]
        return question
    }

    private static func answer(_ edit: (inout AskResponse) -> Void) throws -> ReceiverAnswer {
        var response = AskResponse()
        edit(&response)
        var answer = ReceiverAnswer(.ok)
        answer.message = try Arena.temporary { [response] (arena) throws(CodecError) in
            try Coder(AskResponse.self).bytes(response, arena)
        }
        return answer
    }

    private static func item(
        _ index: Int32, code: Int32 = 0, _ texts: [String: String] = [:]
    ) -> AnsweredItem {
        var item = AnsweredItem()
        item.index = index
        item.code = code
        item.texts = texts
        return item
    }

    @Test func aQuestionIsSignedAndHasItsHookAndItsTime() throws {
        let (end, request) = try Self.asked(.success(ReceiverAnswer(.ok)))
        // An empty answer allows the call.
        #expect(end == .answer(AskResponse()))
        #expect(request.method == "/relation.hook.v1.HookReceiverService/Ask")
        #expect(request.headers.first { $0.name == "webhook-id" }?.value == "q-1")
        #expect(request.headers.first { $0.name == "webhook-timestamp" }?.value == "5")
        let sent = try Arena.temporary { (arena) throws(CodecError) in
            try Coder(AskRequest.self).message(request.body, arena)
        }
        var expected = Self.question
        expected.hookID = "aaaaaaaaaaaaaaaa"
        expected.appID = 3
        expected.timeMs = 5_000
        #expect(sent == expected)
    }

    @Test func anAnswerThatKeepsTheRulesIsOne() throws {
        let answer = try Self.answer {
            $0.code = 38_000
            $0.items = [Self.item(0, ["wording": "hi"]), Self.item(1, code: 39_000)]
            // The reading of verdicts cuts long words.
            $0.items[1].info = String(repeating: "a", count: Limits.hookInfoBytes + 1)
        }
        guard case .answer(let response) = try Self.asked(.success(answer)).end else {
            Issue.record("it is none")
            return
        }
        #expect(response.items.map(\.code) == [0, 39_000])
    }

    @Test func anAnswerThatBreaksARuleIsNone() throws {
        let broken: [ReceiverAnswer] = [
            try Self.answer { $0.code = 37_999 },
            try Self.answer { $0.items = [Self.item(2)] },
            try Self.answer { $0.items = [Self.item(-1)] },
            try Self.answer { $0.items = [Self.item(0), Self.item(0)] },
            try Self.answer { $0.items = [Self.item(0, code: 39_001)] },
            try Self.answer { $0.items = [Self.item(0, ["remark": ""])] },
            try Self.answer { $0.items = [Self.item(0, code: 38_000, ["wording": ""])] },
        ]
        for answer in broken {
            guard case .silence(_, status: 0) = try Self.asked(.success(answer)).end else {
                Issue.record("it is one")
                continue
            }
        }
        var garbage = ReceiverAnswer(.ok)
        garbage.message = [0xFF, 0xFF]
        #expect(
            try Self.asked(.success(garbage)).end
                == .silence(cause: "the answer is not an AskResponse", status: 0))
    }

    @Test func noAnswerIsSilence() throws {
        #expect(
            try Self.asked(.success(ReceiverAnswer(.permissionDenied))).end
                == .silence(cause: "the receiver answered PERMISSION_DENIED", status: 7))
        #expect(
            try Self.asked(.failure(.notConnected)).end
                == .silence(cause: WebhookFailure.notConnected.description, status: 0))
    }
}
