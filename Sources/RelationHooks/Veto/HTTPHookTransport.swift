package import RelationCore
import RelationModel

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
