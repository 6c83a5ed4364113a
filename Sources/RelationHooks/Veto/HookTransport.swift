import Memory
import Protobuf
package import RelationCore
import RelationModel
package import Webhooks

/// The way of a question to the receiver of a hook.
package protocol HookTransport: Sendable {
    /// Asks, and calls back once, on any thread, within about that time.
    ///
    /// - Parameter id: The name of the question, which no other has.
    func ask(
        _ ask: HookAsk, of hook: HookRecord, in app: App, named id: String, at now: Int64,
        within milliseconds: Int64, _ done: @escaping @Sendable (HookSaid) -> Void)
}

/// The end of a question.
package enum HookSaid: Sendable, Equatable {
    /// Nil if the call is allowed as it is.
    case answer(HookVerdict?)
    /// There is no answer, or none that answers the question.
    ///
    /// - Parameter status: The status of the answer; 0 if there was none.
    case silence(cause: String, status: Int)
}

/// An answer of HTTP, or the lack of one.
package enum HookReply: Sendable {
    case body([UInt8])
    case failure(cause: String, status: Int)

    /// Only 200 with a body that was read to its end is an answer.
    package init(_ answer: WebhookAnswer) {
        if answer.status != 200 {
            let cause = "the receiver answered \(answer.status)"
            self = .failure(cause: cause, status: answer.status)
        } else if answer.isCut {
            self = .failure(
                cause: "the answer is longer than \(WebhookLimits.keptBodyBytes) bytes",
                status: answer.status)
        } else {
            self = .body(answer.body)
        }
    }

    package init(_ failure: WebhookFailure) {
        self = .failure(cause: failure.description, status: failure.status)
    }
}

/// Sends a question of HTTP, and calls back once, on any thread.
package typealias HookAskSend =
    @Sendable (
        _ request: HookRequest, _ milliseconds: Int64,
        _ done: @escaping @Sendable (HookReply) -> Void
    ) -> Void

/// Questions by HTTP, in the form of their hook, signed as its deliveries are.
package struct HTTPHookTransport: HookTransport {
    private let send: HookAskSend

    package init(_ send: @escaping HookAskSend) {
        self.send = send
    }

    package func ask(
        _ ask: HookAsk, of hook: HookRecord, in app: App, named id: String, at now: Int64,
        within milliseconds: Int64, _ done: @escaping @Sendable (HookSaid) -> Void
    ) {
        let isTIM = hook.form == .timCallbacks
        let forms = HookForms(app: app, hook: hook)
        guard let request = forms.question(ask, named: id, at: now) else {
            return done(.silence(cause: "the question has no form", status: 0))
        }
        send(request, milliseconds) { reply in
            switch reply {
            case .failure(let cause, let status): done(.silence(cause: cause, status: status))
            case .body(let body):
                do throws(HookAnswerError) {
                    done(
                        .answer(
                            isTIM
                                ? try HookVerdict.readTIM(body, to: ask)
                                : try HookVerdict.read(body, to: ask)))
                } catch {
                    done(.silence(cause: error.cause, status: 200))
                }
            }
        }
    }
}
