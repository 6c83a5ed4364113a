import GRPC
import RelationAdmission
import RelationCalls
import RelationModel
import Storage
import Synchronization
import Testing

@testable import RelationCore
@testable import RelationHooks

/// Questions to hooks, to a receiver of the test.
struct HookAskerTests {
    private static let ask = HookAsk(
        .follow, by: "ann", [HookAsk.Item("bob"), HookAsk.Item("cid")])

    private static let refusal: HookVerdict = {
        var verdict = HookVerdict()
        verdict.items[1] = HookVerdict.Refusal(38_001, "no")
        return verdict
    }()

    @Test func anAnswerIsWhatTheCallGets() throws {
        let line = try QuestionLine()
        line.decide(Self.ask)
        line.answer(.answer(nil))
        line.decide(Self.ask)
        line.answer(.answer(Self.refusal))
        #expect(line.decisions == [.allowed, .judged(Self.refusal)])
        #expect((line.counts.allowed, line.counts.refused, line.counts.waiting) == (1, 1, 0))
    }

    @Test func theHistoryLearnsWhatTheHookSaid() throws {
        let line = try QuestionLine()
        var changed = HookVerdict()
        changed.texts[0] = ["nick": "new"]
        var both = changed
        both.items[1] = HookVerdict.Refusal(38_000, "")
        for verdict in [nil, Self.refusal, changed, both] {
            line.decide(Self.ask)
            line.answer(.answer(verdict))
        }
        line.decide(Self.ask)
        line.answer(.silence(cause: "the line is dead", status: 0))
        // A question that the hook does not have.
        line.decide(HookAsk(.updateProfile, by: "ann", [HookAsk.Item("ann")]))
        #expect(
            line.answers == [.allowed, .allowed, .changed, .changed, .silent, .unspecified])
    }

    @Test(arguments: [HookSilence.allow, .refuse])
    func aHookThatIsLeftAloneOrNotAllowedIsSilent(silence: HookSilence) throws {
        let line = try QuestionLine(silence)
        for _ in 0..<HookLimits.silencesBeforePause {
            line.decide(Self.ask)
            line.answer(.silence(cause: "the line is dead", status: 0))
        }
        line.decide(Self.ask)
        let count = HookLimits.silencesBeforePause + 1
        #expect(line.answers == Array(repeating: .silent, count: count))
        let without = try QuestionLine(silence, hasTransport: false)
        without.decide(Self.ask)
        #expect(without.answers == [.silent])
    }

    @Test(arguments: [
        (HookSilence.unspecified, QuestionLine.Decision.allowed), (.allow, .allowed),
        (.refuse, .judged(.silent)), (.fail, .failed("HOOK_SILENT")),
    ])
    func noAnswerMeansWhatTheHookSays(
        silence: HookSilence, decision: QuestionLine.Decision
    ) throws {
        let line = try QuestionLine(silence)
        for _ in 0..<HookLimits.silencesBeforePause {
            line.decide(Self.ask)
            line.answer(.silence(cause: "the line is dead", status: 0))
        }
        // In the pause the hook is not asked.
        line.decide(Self.ask)
        #expect(line.asked == HookLimits.silencesBeforePause)
        let count = HookLimits.silencesBeforePause + 1
        #expect(line.decisions == Array(repeating: decision, count: count))
        #expect(line.counts.silent == UInt64(HookLimits.silencesBeforePause))
        #expect((line.counts.paused, line.counts.pausedReceivers) == (1, 1))
        #expect(line.noted.map(\.cause) == Array(repeating: "the line is dead", count: count - 1))
        #expect(line.noted.allSatisfy { $0.events == 0 && $0.userID == "ann" })
    }

    @Test(arguments: [(HookForm.cloudEvents, Int32(200)), (.grpc, 0)])
    func anAnswerThatDoesNotFitHasTheStatusOfItsForm(form: HookForm, status: Int32) throws {
        let line = try QuestionLine(form: form)
        var verdict = HookVerdict()
        verdict.texts[0] = ["remark": "too long"]
        line.decide(Self.ask, isFit: false)
        line.answer(.answer(verdict))
        #expect(line.noted.map(\.status) == [status])
    }

    /// A refused connection is the receiver's fault, however short the time of the call is.
    @Test func aDeadHookPausesThoughClientsHaveLittleTime() throws {
        let line = try QuestionLine()
        for _ in 0..<HookLimits.silencesBeforePause {
            line.decide(Self.ask, within: 100)
            line.later(1)
            line.answer(.silence(cause: "refused", status: 0))
        }
        #expect(line.noted.count == HookLimits.silencesBeforePause)
        #expect(line.counts.pausedReceivers == 1)
    }

    @Test(arguments: [
        (Limits.usualAskMilliseconds / HookLimits.judgedPartOfTime - 2, false),
        (Limits.usualAskMilliseconds / HookLimits.judgedPartOfTime, true),
        (Limits.usualAskMilliseconds - 2, true),
    ])
    func aHookThatHangsIsJudgedByHalfOfItsTime(time: Int64, isJudged: Bool) throws {
        let line = try QuestionLine()
        for _ in 0..<HookLimits.silencesBeforePause {
            line.decide(Self.ask, within: time)
            // A question may end up to a millisecond after its call.
            line.later(time + 1)
            line.answer(.silence(cause: "no answer came in time", status: 0))
        }
        #expect(line.noted.count == (isJudged ? HookLimits.silencesBeforePause : 0))
        #expect(line.counts.pausedReceivers == (isJudged ? 1 : 0))
    }

    @Test func oneCallMoreThanMayWaitIsRefusedAtOnce() throws {
        let line = try QuestionLine()
        for _ in 0..<Limits.questionsOfApp { line.decide(Self.ask) }
        #expect(line.decisions == [])
        line.decide(Self.ask)
        #expect(line.decisions == [.failed("TOO_MANY_QUESTIONS")])
        #expect(line.counts.waiting == Limits.questionsOfApp)
        #expect(line.counts.full == 1)
        for _ in 0..<Limits.questionsOfApp { line.answer(.answer(nil)) }
        #expect(line.counts.waiting == 0)
    }

    @Test func textsThatDoNotFitAreNoAnswer() throws {
        let line = try QuestionLine(.fail)
        var verdict = HookVerdict()
        verdict.texts[0] = ["nick": "long"]
        line.decide(Self.ask, isFit: false)
        line.answer(.answer(verdict))
        line.decide(Self.ask, isFit: true)
        line.answer(.answer(verdict))
        #expect(line.decisions == [.failed("HOOK_SILENT"), .judged(verdict)])
        #expect(line.counts.changed == 1)
    }

    @Test func aHookThatIsPausedOrAskedSomethingElseIsNotAsked() throws {
        let line = try QuestionLine()
        line.decide(HookAsk(.addFriends, by: "ann", [HookAsk.Item("bob")]))
        try line.pause()
        line.decide(Self.ask)
        #expect(line.decisions == [.allowed, .allowed])
        #expect(line.asked == 0)
    }

    @Test func anOperatorWithoutHooksIsSilence() throws {
        let line = try QuestionLine(.fail, hasTransport: false)
        line.decide(Self.ask)
        #expect(line.decisions == [.failed("HOOK_SILENT")])
    }

    /// The cost of a dead hook for the calls of its own app, and of another one.
    @Test func aDeadHookCostsOtherAppsNothing() throws {
        let line = try QuestionLine(.refuse)
        let other = try line.anotherApp()
        for second in 0..<600 {
            line.later(1_000)
            for _ in 0..<10 { line.decide(Self.ask) }
            while line.isAsked(of: 1) {
                line.answer(.silence(cause: "dead", status: 0), of: 1)
            }
            line.decide(Self.ask, in: other)
            line.answer(.answer(nil), of: other)
            #expect(line.asked(of: other) == second + 1)
        }
        // Of 6,000 calls of its own app few were asked, and each waited for at most one deadline.
        #expect(line.asked(of: 1) < 40)
        #expect(line.counts.allowed == 600)
    }
}
