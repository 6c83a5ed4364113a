import Protobuf
import RelationModel
import Testing

@testable import RelationCore
@testable import RelationHooks

/// Answers of receivers, good and bad.
struct HookVerdictTests {
    private static let ask: HookAsk = {
        var items = [HookAsk.Item("bob"), HookAsk.Item("cid")]
        items[0].texts = ["remark": "r", "wording": ""]
        items[1].texts = ["remark": "s", "wording": ""]
        return HookAsk(.addFriends, by: "ann", items)
    }()

    private static func read(_ text: String) throws(HookAnswerError) -> HookVerdict? {
        try HookVerdict.read(Array(text.utf8), to: ask)
    }

    @Test(arguments: [
        "{}", #"{"code":0}"#, #"{"items":[]}"#, #"{"items":[{"index":1}]}"#,
        #"{"items":[{"index":0,"texts":{}}],"info":"fine"}"#,
    ])
    func anAnswerThatRefusesNothingAllows(text: String) throws {
        #expect(try Self.read(text) == nil)
    }

    @Test(arguments: [38_000, 38_123, 39_000] as [Int32])
    func aCodeOfTheAppRefusesAllOrOneItem(code: Int32) throws {
        let all = try #require(try Self.read(#"{"code":\#(code),"info":"no"}"#))
        #expect([0, 1].map { all.refusal($0)?.code } == [code, code])
        #expect(all.refusal(0)?.info == "no")
        let one = try #require(try Self.read(#"{"items":[{"index":1,"code":\#(code)}]}"#))
        #expect([0, 1].map { one.refusal($0)?.code } == [nil, code])
        #expect(one.isRefusal)
    }

    @Test func textsChange() throws {
        let text = #"{"items":[{"index":1,"texts":{"remark":"mild"}}]}"#
        let verdict = try #require(try Self.read(text))
        #expect(verdict.texts == [1: ["remark": "mild"]])
        #expect(!verdict.isRefusal)
    }

    @Test(arguments: [
        "", "{", "[]", "\"x\"", #"{"code":1}"#, #"{"code":37999}"#, #"{"code":39001}"#,
        #"{"code":-38000}"#, #"{"code":"many"}"#, #"{"unknown":1}"#, #"{"items":{}}"#,
        #"{"items":[{"index":2}]}"#, #"{"items":[{"index":-1}]}"#,
        #"{"items":[{"index":0},{"index":0}]}"#,
        #"{"items":[{"index":0,"texts":{"source":"x"}}]}"#,
        #"{"items":[{"index":0,"code":38000,"texts":{"remark":"x"}}]}"#,
    ])
    func whatAnswersNothingIsAnError(text: String) {
        #expect(throws: HookAnswerError.self) { try Self.read(text) }
    }

    @Test func bytesThatAreNoTextAreAnError() {
        #expect(throws: HookAnswerError.self) {
            try HookVerdict.read([0x7B, 0xFF, 0x7D], to: Self.ask)
        }
    }

    @Test func longWordsOfAHookAreCut() throws {
        let long = String(repeating: "x", count: 10_000)
        let verdict = try #require(try Self.read(#"{"code":38000,"info":"\#(long)"}"#))
        let info = try #require(verdict.refusal(0)).info
        #expect(info.utf8.count <= Limits.hookInfoBytes)
    }

    @Test func aResultOfTIMIsThatOfItsUser() throws {
        let text = """
            {"ActionStatus":"OK","ErrorCode":7,"ErrorInfo":"","ResultItem":[\
            {"To_Account":"cid","ResultCode":38010,"ResultInfo":"no"},\
            {"To_Account":"eve","ResultCode":38010,"ResultInfo":"no"},\
            {"To_Account":"bob","ResultCode":5,"ResultInfo":""}]}
            """
        let verdict = try #require(try HookVerdict.readTIM(Array(text.utf8), to: Self.ask))
        #expect(verdict.refusal(0)?.code == 38_000)
        #expect(verdict.refusal(1) == HookVerdict.Refusal(38_010, "no"))
        #expect(try HookVerdict.readTIM(Array("{}".utf8), to: Self.ask) == nil)
        for text in ["", "[]", #"{"ResultItem":{}}"#, #"{"ResultItem":[{"ResultCode":1}]}"#] {
            #expect(throws: HookAnswerError.self) {
                try HookVerdict.readTIM(Array(text.utf8), to: Self.ask)
            }
        }
    }
}
