import Protobuf
import RelationAPI
import RelationCalls
import RelationCore
package import RelationHooks
import RelationModel

/// The part of a request about which a hook is asked.
package struct HookSubject {
    package var ask: HookAsk
    /// The indices in the request of each item of the question: that of the item, and those of
    /// the items that repeat it.
    package var indices: [[Int]]

    package init(ask: HookAsk, indices: [[Int]]) {
        self.ask = ask
        self.indices = indices
    }

    /// - Parameters:
    ///   - indices: The indices of the items to which the rule is applied.
    ///   - item: The item of the question for that of the request.
    /// - Returns: Nil if there is no item to ask about.
    init?(
        _ question: HookQuestion, _ call: Call, _ indices: [[Int]],
        _ item: (Int) -> HookAsk.Item
    ) {
        guard !indices.isEmpty else { return nil }
        ask = HookAsk(question, by: call.user.text, indices.map { item($0[0]) })
        self.indices = indices
    }
}

/// An answer of a hook, by the indices of the request that it is about.
package struct HookJudgement: Sendable, Equatable {
    package private(set) var refusals: [Int: HookVerdict.Refusal] = [:]
    /// The texts that replace those of an item, by their names.
    package private(set) var texts: [Int: [String: String]] = [:]

    /// The call goes on as it is.
    package static let none = HookJudgement()

    private init() {}

    package init(_ verdict: HookVerdict?, on subject: HookSubject) {
        guard let verdict else { return }
        for (index, items) in subject.indices.enumerated() {
            for item in items {
                refusals[item] = verdict.refusal(index)
                texts[item] = verdict.texts[index]
            }
        }
    }

    /// The new text of that name of the item at `index`; otherwise `text`.
    func text(_ name: String, of index: Int, or text: String) -> String {
        texts.isEmpty ? text : texts[index]?[name] ?? text
    }

    /// The custom values of the item at `index`, with the texts that are new.
    func custom(_ values: [CustomValue], of index: Int) -> [CustomValue] {
        texts[index].map { values.replacing($0) } ?? values
    }
}

extension Array {
    /// The indices of the items to which the rule is applied, each with those that repeat it.
    package func distinct<Value, Code>() -> [[Int]] where Element == ValidatedItem<Value, Code> {
        var groups: [Int: [Int]] = [:]
        for (index, item) in enumerated() {
            switch item {
            case .value: groups[index] = [index]
            case .same(let first): groups[first]?.append(index)
            case .refused: break
            }
        }
        return groups.sorted { $0.key < $1.key }.map(\.value)
    }

    /// The items, of which a hook has refused some.
    ///
    /// An item that repeats another one has the answer of that.
    package func judged<Value, Code>(by judgement: HookJudgement) -> Self
    where Element == ValidatedItem<Value, Code> {
        guard !judgement.refusals.isEmpty else { return self }
        return enumerated().map { index, item in
            guard case .value = item, let refusal = judgement.refusals[index] else { return item }
            return .refused(Outcome(Code(rawValue: refusal.code), refusal.reason))
        }
    }
}

extension ResultMessage where Info == String {
    /// Takes the hook's own words, if the result is that refusal.
    mutating func quote(_ refusal: HookVerdict.Refusal) {
        guard reason == refusal.reason, code?.rawValue == refusal.code, !refusal.info.isEmpty
        else { return }
        info = refusal.info
    }
}

extension Work {
    /// The same work, whose results have the hook's own words about its refusals.
    func quoting<Item: ResultMessage>(_ judgement: HookJudgement) -> Work
    where Response: ItemsResponse<Item>, Item.Info == String {
        guard !judgement.refusals.isEmpty, case .items(let items) = body else { return self }
        let refusals = judgement.refusals
        var work = self
        work.body = .items(
            ItemsWork { (pass, begin, close) throws(StorageError) in
                try items.run(pass, begin) { (response, end) throws(StorageError) in
                    var response = response
                    for index in response.results.indices {
                        if let refusal = refusals[index] { response.results[index].quote(refusal) }
                    }
                    try close(response, end)
                }
            })
        return work
    }
}
