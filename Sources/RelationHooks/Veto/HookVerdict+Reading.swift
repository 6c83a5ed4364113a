import Memory
import Protobuf
import RelationCalls
import RelationCore
import RelationModel
import Webhooks

/// Why an answer is not an answer to its question.
struct HookAnswerError: Error, Equatable {
    /// Words of ours: none of the receiver's stand in them.
    let cause: String

    init(_ cause: String) {
        self.cause = cause
    }
}

extension HookVerdict {
    /// Reads an answer in our own form.
    ///
    /// - Returns: Nil if it allows the call as it is.
    static func read(
        _ body: [UInt8], to ask: HookAsk
    ) throws(HookAnswerError) -> HookVerdict? {
        guard let text = String(validating: body, as: UTF8.self) else {
            throw HookAnswerError("the answer is not UTF-8")
        }
        let answer: HookSaidMessage
        do throws(CodecError) {
            answer = try Arena.temporary { (arena) throws(CodecError) in
                try HookSaidMessage(json: text, arena)
            }
        } catch {
            throw HookAnswerError("the answer is not an object of JSON with the known members")
        }
        return try read(answer, to: ask)
    }

    static func read(
        _ answer: HookSaidMessage, to ask: HookAsk
    ) throws(HookAnswerError) -> HookVerdict? {
        var verdict = HookVerdict()
        verdict.all = try refusal(answer.code, answer.info)
        var seen: Set<Int> = []
        for item in answer.items {
            let index = Int(item.index)
            guard ask.items.indices.contains(index), seen.insert(index).inserted else {
                throw HookAnswerError("the answer has an index twice, or one of no item")
            }
            if let refusal = try refusal(item.code, item.info) {
                guard item.texts.isEmpty else {
                    throw HookAnswerError("the answer refuses an item and changes its texts")
                }
                verdict.items[index] = refusal
            }
            guard item.texts.keys.allSatisfy({ ask.items[index].texts[$0] != nil }) else {
                throw HookAnswerError("the answer changes a text that the call does not write")
            }
            if !item.texts.isEmpty { verdict.texts[index] = item.texts }
        }
        return verdict == HookVerdict() ? nil : verdict
    }

    private static func refusal(
        _ code: Int32, _ info: String
    ) throws(HookAnswerError) -> Refusal? {
        guard code != 0 else { return nil }
        guard Limits.hookCodes.contains(code) else {
            throw HookAnswerError("the answer has a code that is not 0, or 38000 to 39000")
        }
        return Refusal(code, info.echoed(atMost: Limits.hookInfoBytes))
    }

    /// Reads an answer in TIM's form.
    ///
    /// A result is that of each item with its `To_Account`; an item without one is allowed.
    /// `ErrorCode` of the whole is not looked at, as TIM does not. A code that is none of the
    /// app's own becomes 38000.
    static func readTIM(
        _ body: [UInt8], to ask: HookAsk
    ) throws(HookAnswerError) -> HookVerdict? {
        guard let results = TIMQuestion.results(of: body) else {
            throw HookAnswerError("the answer is not an object of JSON with TIM's members")
        }
        var refusals: [ExactText: Refusal] = [:]
        for result in results where result.code != 0 {
            let own = Int32(exactly: result.code).flatMap {
                Limits.hookCodes.contains($0) ? $0 : nil
            }
            refusals[ExactText(result.to)] = Refusal(
                own ?? Limits.hookCodes.lowerBound, result.info.echoed(atMost: Limits.hookInfoBytes)
            )
        }
        guard !refusals.isEmpty else { return nil }
        var verdict = HookVerdict()
        for (index, item) in ask.items.enumerated() {
            verdict.items[index] = refusals[ExactText(item.userID)]
        }
        return verdict.items.isEmpty ? nil : verdict
    }
}
