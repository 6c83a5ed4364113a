import Memory
import Protobuf
package import RelationAPI
package import RelationCore
package import Webhooks

/// Asks receivers by gRPC before a call writes: the client's side of Ask.
///
/// It decides nothing. Its callers bound the questions that wait, and say what no answer means.
package struct ReceiverAsker: Sendable {
    /// Makes a call of gRPC, and calls back once, on any thread.
    package typealias Call =
        @Sendable (
            _ request: HookRequest, _ milliseconds: Int64,
            _ done: @escaping @Sendable (Result<ReceiverAnswer, WebhookFailure>) -> Void
        ) -> Void

    /// The end of a question.
    package enum End: Sendable, Equatable {
        /// An answer that keeps the rules of its fields.
        case answer(AskResponse)
        /// There is no answer, or none that answers the question.
        ///
        /// - Parameters:
        ///   - cause: Words of ours: none of the receiver's stand in them.
        ///   - status: The status of gRPC; 0 if there was none.
        case silence(cause: String, status: Int)
    }

    private let call: Call

    package init(_ call: @escaping Call) {
        self.call = call
    }

    /// Asks, signed as deliveries are, and calls back once, on any thread, within about that time.
    ///
    /// - Parameter question: Its hook, its app and its time are filled in here.
    package func ask(
        _ question: AskRequest, of hook: HookRecord, in app: App, at now: Int64,
        within milliseconds: Int64, _ done: @escaping @Sendable (End) -> Void
    ) {
        var question = question
        question.hookID = hook.id
        question.appID = app.id
        question.timeMs = now
        let request: HookRequest
        do throws(CodecError) {
            let body = try Arena.temporary { (arena) throws(CodecError) in
                try Coder(AskRequest.self).bytes(question, arena)
            }
            request = HookForms(app: app, hook: hook).call(
                ReceiverMethods.ask, body, named: question.id, at: now)
        } catch {
            return done(.silence(cause: "the question cannot be encoded", status: 0))
        }
        call(request, milliseconds) { [question] reply in
            switch reply {
            case .failure(let failure): done(.silence(cause: failure.description, status: 0))
            case .success(let answer): done(Self.end(answer, question))
            }
        }
    }

    private static func end(_ answer: ReceiverAnswer, _ question: AskRequest) -> End {
        guard answer.isOK else {
            return .silence(cause: answer.words, status: answer.status)
        }
        do throws(CodecError) {
            let response = try Arena.temporary { (arena) throws(CodecError) in
                try Coder(AskResponse.self).message(answer.message, arena)
            }
            guard let failure = response.failure(to: question) else { return .answer(response) }
            return .silence(cause: failure, status: answer.status)
        } catch {
            return .silence(cause: "the answer is not an AskResponse", status: answer.status)
        }
    }
}

extension AskResponse {
    /// The rule that the answer breaks; nil if it answers the question.
    fileprivate func failure(to question: AskRequest) -> String? {
        var codes = [code]
        var seen: Set<Int32> = []
        for item in items {
            guard question.items.indices.contains(Int(item.index)),
                seen.insert(item.index).inserted
            else { return "the answer has an index twice, or one of no item" }
            guard item.code == 0 || item.texts.isEmpty else {
                return "the answer refuses an item and changes its texts"
            }
            let names = question.items[Int(item.index)].texts
            guard item.texts.keys.allSatisfy({ names[$0] != nil }) else {
                return "the answer changes a text that the call does not write"
            }
            codes.append(item.code)
        }
        guard codes.allSatisfy({ $0 == 0 || HookLimits.refusals.contains($0) }) else {
            return "the answer has a code that is not 0, or 38000 to 39000"
        }
        return nil
    }
}
