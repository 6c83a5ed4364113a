import Testing

@testable import Webhooks

/// The bytes of TIM's callbacks before a change.
struct TIMQuestionTests {
    private static func text(_ question: TIMQuestion) -> String {
        String(decoding: question.json(), as: UTF8.self)
    }

    @Test func anAdditionHasTIMsMembersInTheirOrder() {
        let question = TIMQuestion.friendAdd(
            requester: "root", from: "ann",
            [.init(to: "bob", remark: "r", group: "g", source: "AddSource_Type_Web", wording: "w")],
            isSingle: false, isForced: true, timeMilliseconds: 5)
        #expect(question.command == "Sns.CallbackPrevFriendAdd")
        #expect(
            Self.text(question)
                == #"{"CallbackCommand":"Sns.CallbackPrevFriendAdd","Requester_Account":"root","#
                + #""From_Account":"ann","FriendItem":[{"To_Account":"bob","Remark":"r","#
                + #""GroupName":"g","AddSource":"AddSource_Type_Web","AddWording":"w"}],"#
                + #""AddType":"Add_Type_Both","ForceAddFlags":1,"EventTime":5}"#)
    }

    @Test func anAnswerToAnApplicationHasTIMsMembersInTheirOrder() {
        let question = TIMQuestion.friendResponse(
            requester: "ann", from: "ann",
            [.init(to: "bob", remark: "r", group: "g", action: "Response_Action_Agree")],
            timeMilliseconds: 5)
        #expect(
            Self.text(question)
                == #"{"CallbackCommand":"Sns.CallbackPrevFriendResponse","#
                + #""Requester_Account":"ann","From_Account":"ann","ResponseFriendItem":["#
                + #"{"To_Account":"bob","Remark":"r","TagName":"g","#
                + #""ResponseAction":"Response_Action_Agree"}],"EventTime":5}"#)
    }

    @Test func anAnswerWithoutResultsHasNone() {
        #expect(TIMQuestion.results(of: Array("{}".utf8)) == [])
        #expect(TIMQuestion.results(of: Array("[]".utf8)) == nil)
        #expect(TIMQuestion.results(of: [0xFF]) == nil)
    }
}
