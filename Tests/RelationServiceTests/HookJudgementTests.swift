import RelationCalls
import RelationCore
import RelationHooks
import RelationModel
import Testing

@testable import RelationService

/// The answer of a hook, applied to the items of a request.
struct HookJudgementTests {
    private static let names = ["bob", "a\n", "cid", "bob"]
    private static var items: [ValidatedItem<UserID, FriendStatus>] {
        names.prepared(illegal: Reason.BlacklistAdd.userIDIllegal)
    }

    private static func subject() throws -> HookSubject {
        var ask = HookAsk(.addToBlacklist, by: "ann", [])
        ask.items = items.distinct().map { HookAsk.Item(names[$0[0]]) }
        return HookSubject(ask: ask, indices: items.distinct())
    }

    @Test func anItemIsAskedAboutOnceAndAMalformedOneNever() throws {
        #expect(Self.items.distinct() == [[0, 3], [2]])
        #expect(try Self.subject().ask.items.map(\.userID) == ["bob", "cid"])
    }

    @Test func aRefusalIsThatOfTheItemAndOfThoseThatRepeatIt() throws {
        var verdict = HookVerdict()
        verdict.items[0] = HookVerdict.Refusal(38_007, "no")
        let judgement = HookJudgement(verdict, on: try Self.subject())
        #expect(Set(judgement.refusals.keys) == [0, 3])
        let judged = Self.items.judged(by: judgement)
        #expect(judged.values().map(\.text) == ["cid"])
        guard case .refused(let outcome) = judged[0] else {
            Issue.record("the item is not refused")
            return
        }
        #expect(outcome.code.rawValue == 38_007)
        #expect(outcome.reason == Reason.Hook.refused)
        #expect(!outcome.isAcceptable)
        guard case .same(as: 0) = judged[3] else {
            Issue.record("the item does not repeat the first")
            return
        }
    }

    @Test func silenceThatRefusesIsThatOfAllItems() throws {
        let judgement = HookJudgement(.silent, on: try Self.subject())
        #expect(Set(judgement.refusals.keys) == [0, 2, 3])
        #expect(Self.items.judged(by: judgement).values().isEmpty)
        #expect(judgement.refusals[2]?.reason == Reason.Hook.silent)
    }

    @Test func textsReplaceThoseOfTheItem() throws {
        var verdict = HookVerdict()
        verdict.texts[1] = ["remark": "mild"]
        let judgement = HookJudgement(verdict, on: try Self.subject())
        #expect(judgement.text("remark", of: 2, or: "rude") == "mild")
        #expect(judgement.text("wording", of: 2, or: "hi") == "hi")
        #expect(judgement.text("remark", of: 0, or: "rude") == "rude")
        #expect(HookJudgement(nil, on: try Self.subject()) == .none)
    }
}
