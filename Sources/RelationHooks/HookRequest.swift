import RelationModel
package import Webhooks

/// A request to the receiver of a hook.
package struct HookRequest: Sendable {
    /// The app that has the hook.
    package var app: UInt32
    package var url: String
    /// Names and values that are added to the query of the URL.
    package var query: [(name: String, value: String)] = []
    package var headers: [(name: String, value: String)]
    package var contentType: String
    package var body: [UInt8]
    /// The path of the method, if it is a call of gRPC; then `body` is its message.
    package var method: String?
    /// Whether only 200 with an object of JSON confirms it, as TIM's callbacks are.
    package var wantsObject = false
    /// The moment of the loop's steady clock, in milliseconds, by which it must have ended: another
    /// server may have the hook after that.
    ///
    /// Nil if it has its time from when it goes out.
    package var endMs: Int64?

    /// The time that the request has at a moment of that clock; none is left if it is not positive.
    ///
    /// A server that was stopped, and goes on, may have handed the request out long ago.
    package func timeLeft(at moment: Int64) -> Duration {
        let usual = HookLimits.requestMilliseconds
        return .milliseconds(endMs.map { min(usual, $0 - moment) } ?? usual)
    }
}

/// How a request fared.
package struct HookResult: Sendable {
    package let outcome: DeliveryOutcome
    /// The status of the answer, of HTTP or of gRPC; 0 if there was none.
    package let status: Int

    /// Why the receiver did not confirm the request, in a few words; nil if it did.
    package var cause: String? {
        switch outcome {
        case .delivered: nil
        case .failed(let why, _), .busy(let why, _), .gone(let why), .rejected(let why):
            String(decoding: why.utf8.prefix(Limits.hookCauseBytes), as: UTF8.self)
        }
    }

    package init(_ outcome: DeliveryOutcome, status: Int) {
        self.outcome = outcome
        self.status = status
    }

    package init(_ answer: WebhookAnswer) {
        self.init(DeliveryOutcome(answer), status: answer.status)
    }

    /// The result of a callback in TIM's form.
    package init(ofCallback answer: WebhookAnswer) {
        var outcome = DeliveryOutcome(answer)
        if TIMQuery.isTaken(answer) {
            outcome = .delivered
        } else if outcome == .delivered {
            outcome = .failed(why: "the receiver's answer is not 200 with an object of JSON")
        }
        self.init(outcome, status: answer.status)
    }

    /// The result of a call of gRPC.
    package init(_ answer: ReceiverAnswer) {
        self.init(DeliveryOutcome(answer), status: answer.status)
    }

    package init(_ failure: WebhookFailure) {
        self.init(DeliveryOutcome(failure), status: failure.status)
    }
}

/// Sends a request, and calls back once, on any thread.
package typealias HookSend =
    @Sendable (_ request: HookRequest, _ done: @escaping @Sendable (HookResult) -> Void) -> Void
