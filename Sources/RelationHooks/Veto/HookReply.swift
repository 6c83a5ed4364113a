package import Webhooks

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
