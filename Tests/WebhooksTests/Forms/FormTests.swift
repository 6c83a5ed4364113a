import Testing

@testable import Webhooks

/// The bytes of bodies.
@Suite struct FormTests {
    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    // MARK: CloudEvents

    @Test func anEventIsAnObjectWithItsAttributesFirst() {
        var event = CloudEvent(
            id: "7-42", source: "/apps/chat", type: CloudEvent.type(ofChange: "ADD_FRIEND"),
            subject: "a\"b\u{2028}", timeMilliseconds: 1_770_091_506_007, data: Array("{}".utf8))
        event.extensions = [("position", "42")]
        #expect(
            Self.text(event.json())
                == #"{"specversion":"1.0","id":"7-42","source":"/apps/chat","#
                + #""type":"relation.v1.change.add_friend","subject":"a\"b\u2028","#
                + #""time":"2026-02-03T04:05:06.007Z","position":"42","#
                + #""datacontenttype":"application/json","data":{}}"#)
        let marker = CloudEvent.trimmed(
            id: "t", source: "/", timeMilliseconds: -1, after: 3, to: 9)
        #expect(
            Self.text(marker.json())
                == #"{"specversion":"1.0","id":"t","source":"/","type":"relation.v1.trimmed","#
                + #""time":"1969-12-31T23:59:59.999Z","datacontenttype":"application/json","#
                + #""data":{"afterPosition":"3","toPosition":"9"}}"#)
        let empty = CloudEvent(
            id: "e", source: "/", type: "t", subject: nil, timeMilliseconds: 0, data: [])
        #expect(Self.text(empty.json()).hasSuffix(#""time":"1970-01-01T00:00:00.000Z"}"#))
    }

    @Test func aBatchIsAListOfEvents() {
        let batches = [[], ["{}"], ["{}", "[1]"]].map { events in
            Self.text(CloudEvent.batch(events.map { Array($0.utf8) }))
        }
        #expect(batches == ["[]", "[{}]", "[{},[1]]"])
    }

    @Test(arguments: [
        (Int64.min, "0000-01-01T00:00:00.000Z"), (Int64.max, "9999-12-31T23:59:59.999Z"),
        (951_782_400_000, "2000-02-29T00:00:00.000Z"),
        (-62_135_596_800_001, "0000-12-31T23:59:59.999Z"),
    ])
    func timesHaveYearsOfFourDigits(milliseconds: Int64, text: String) {
        #expect(TimeText.text(ofMilliseconds: milliseconds) == text)
    }

    // MARK: TIM

    @Test(arguments: [
        (
            TIMCallback.friendAdd(
                [.init(from: "a", to: "b", initiator: "a")], clientCommand: "friend_add", admin: "",
                isForced: false),
            #"{"CallbackCommand":"Sns.CallbackFriendAdd","PairList":[{"From_Account":"a","#
                + #""To_Account":"b","Initiator_Account":"a"}],"ClientCmd":"friend_add","#
                + #""Admin_Account":"","ForceFlag":0}"#
        ),
        (
            .friendDelete([.init(from: "a", to: "b"), .init(from: "b", to: "a")]),
            #"{"CallbackCommand":"Sns.CallbackFriendDelete","PairList":[{"From_Account":"a","#
                + #""To_Account":"b"},{"From_Account":"b","To_Account":"a"}]}"#
        ),
        (
            .blackListAdd([.init(from: "a", to: "b")]),
            #"{"CallbackCommand":"Sns.CallbackBlackListAdd","PairList":[{"From_Account":"a","#
                + #""To_Account":"b"}]}"#
        ),
        (
            .blackListDelete([]),
            #"{"CallbackCommand":"Sns.CallbackBlackListDelete","PairList":[]}"#
        ),
        (
            .portraitSet(
                operator: "admin", from: "a", timeMilliseconds: 17,
                [
                    .init(tag: "Tag_Profile_IM_Nick", value: .text("é\n")),
                    .init(tag: "Tag_Profile_IM_BirthDay", value: .number(19_900_101)),
                ]),
            #"{"CallbackCommand":"Profile.CallbackPortraitSet","Operator_Account":"admin","#
                + #""From_Account":"a","EventTime":17,"ProfileItem":[{"Tag":"Tag_Profile_IM_Nick","#
                + #""Value":"é\n"},{"Tag":"Tag_Profile_IM_BirthDay","Value":19900101}]}"#
        ),
        (
            .followAdd(from: "a", ["b", "c"], timeMilliseconds: 18),
            #"{"CallbackCommand":"Follow.CallbackAfterFollowAdd","From_Account":"a","#
                + #""FollowList":[{"To_Account":"b"},{"To_Account":"c"}],"EventTime":18}"#
        ),
        (
            .followDelete(from: "a", ["b"], timeMilliseconds: 19),
            #"{"CallbackCommand":"Follow.CallbackAfterFollowDelete","From_Account":"a","#
                + #""FollowList":[{"To_Account":"b"}],"EventTime":19}"#
        ),
    ])
    func aCallbackHasTIMsFieldsInTheirOrder(callback: TIMCallback, json: String) {
        #expect(Self.text(callback.json()) == json)
        #expect(json.contains(callback.command) && JSONGrammar.isObject(callback.json()))
    }

    @Test func aLoginHasTIMsFieldsInTheirOrder() {
        let login = TIMCallback.stateChange(.login, of: "a", kicked: ["IOS"], timeMilliseconds: 20)
        let wanted = """
            {"CallbackCommand":"State.StateChange","Info":{"Action":"Login","To_Account":"a",\
            "Reason":"Register"},"KickedDevice":[{"Platform":"IOS"}],"EventTime":20}
            """
        #expect(Self.text(login.json()) == wanted)
        let end = TIMCallback.stateChange(.timeOut, of: "a", kicked: [], timeMilliseconds: 21)
        let gone = """
            {"CallbackCommand":"State.StateChange","Info":{"Action":"Disconnect",\
            "To_Account":"a","Reason":"TimeOut"},"EventTime":21}
            """
        #expect(Self.text(end.json()) == gone)
    }

    @Test(arguments: [
        ("iPhone", "IOS"), ("ios", "IOS"), ("ANDROID", "Android"), ("pc", "Windows"),
        ("macOS", "Mac"), ("iPad", "iPad"), ("web", "Web"), ("watch", "Unknown"), ("", "Unknown"),
    ])
    func aPlatformHasTIMsWord(platform: String, word: String) {
        #expect(TIMPlatform.word(platform) == word)
    }

    @Test(arguments: [
        (#"{"ActionStatus":"OK","ErrorCode":0,"ErrorInfo":""}"#, true), (" {} \n", true),
        (#"{"a":[1,-2.5e+3,true,false,null,"\u00e9\"",{}]}"#, true), ("", false), ("[]", false),
        ("{", false), ("{}x", false), ("{'a':1}", false), ("{\"a\":01}", false), ("OK", false),
        ("{\"a\":1,}", false), ("{\"a\" 1}", false), ("{\"a\":\"\u{1}\"}", false), ("{a:1}", false),
        ("{\"a\":\"\\x\"}", false), ("{\"a\":1.}", false), ("{\"a\":tru}", false),
        ("{\"a\":\"b", false),
        ("<html></html>", false), ("{\"a\":-}", false), ("{\"a\":\"\\u12\"}", false),
    ])
    func anAnswerCountsIfItIsAnObjectOfJSON(body: String, isTaken: Bool) {
        var answer = WebhookAnswer(status: 200)
        answer.body = Array(body.utf8)
        #expect(TIMQuery.isTaken(answer) == isTaken)
        answer.isCut = true
        #expect(!TIMQuery.isTaken(answer))
        (answer.isCut, answer.status) = (false, 201)
        #expect(!TIMQuery.isTaken(answer))
    }

    @Test func jsonIsReadToABoundedDepth() {
        func nested(_ depth: Int) -> [UInt8] {
            Array(
                (String(repeating: "{\"a\":", count: depth) + "1"
                    + String(repeating: "}", count: depth))
                    .utf8)
        }
        #expect(JSONGrammar.isObject(nested(31)) && !JSONGrammar.isObject(nested(32)))
        #expect(!JSONGrammar.isObject(nested(100_000)))
        #expect(!JSONGrammar.isObject(Array("{\"a\":\"".utf8) + [0xFF] + Array("\"}".utf8)))
    }

    // MARK: Retry-After

    @Test(
        arguments: [
            ("7", .seconds(7)), ("0", .seconds(0)), (" 12", .seconds(12)), ("-1", nil),
            ("1.5", nil),
            ("", nil), ("9999999999", nil), ("soon", nil),
            ("Sun, 06 Nov 1994 08:49:37 GMT", .seconds(10)),
            ("Sun, 06 Nov 1994 08:49:20 GMT", .seconds(0)),
            ("Sunday, 06-Nov-94 08:49:37 GMT", nil), ("Sun, 06 Nov 1994 25:49:37 GMT", nil),
            ("Sun, 32 Nov 1994 08:49:37 GMT", nil), ("Sun, 06 Nov 1994 08:49:37 CET", nil),
        ] as [(String, Duration?)])
    func retryAfterIsSecondsOrADate(text: String, duration: Duration?) {
        #expect(RetryAfter.duration(text, nowMilliseconds: 784_111_767_000) == duration)
    }

    @Test(arguments: [
        (200, DeliveryOutcome.delivered), (204, .delivered), (299, .delivered),
        (400, .rejected(why: "the receiver answered 400")),
        (410, .gone(why: "the receiver answered 410")),
        (429, .busy(why: "the receiver answered 429", retryAfter: .seconds(3))),
        (500, .failed(why: "the receiver answered 500", retryAfter: .seconds(3))),
        (404, .failed(why: "the receiver answered 404", retryAfter: .seconds(3))),
        (304, .failed(why: "the receiver answered 304", retryAfter: .seconds(3))),
    ])
    func anAnswerHasAnOutcome(status: Int, outcome: DeliveryOutcome) {
        var answer = WebhookAnswer(status: status)
        answer.retryAfter = .seconds(3)
        #expect(DeliveryOutcome(answer) == outcome)
        #expect(
            DeliveryOutcome(WebhookFailure.cutOff)
                == .failed(why: WebhookFailure.cutOff.description))
    }
}
