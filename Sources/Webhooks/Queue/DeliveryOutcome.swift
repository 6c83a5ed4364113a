/// How a request fared.
package enum DeliveryOutcome: Sendable, Equatable {
    case delivered
    /// - Parameters:
    ///   - why: Words for the operator, without secrets.
    ///   - retryAfter: The time that the receiver asks for.
    case failed(why: String, retryAfter: Duration? = nil)
    /// The receiver is well, and refuses these events for what they are.
    case rejected(why: String)
    /// The receiver is well, and wants fewer requests: none goes out for a while, and none of the
    /// events counts as failed.
    case busy(why: String, retryAfter: Duration? = nil)
    /// The receiver wants no request any more: the hook pauses.
    case gone(why: String)

    /// The outcome of an answer: 2xx is success, 410 means gone, 429 busy; 400, 413 and 422 reject.
    ///
    /// All others may be an error of the receiver's own, as 404 is while it is set up again.
    package init(_ answer: WebhookAnswer) {
        let why = "the receiver answered \(answer.status)"
        self =
            switch answer.status {
            case 200...299: .delivered
            case 400, 413, 422: .rejected(why: why)
            case 410: .gone(why: why)
            case 429: .busy(why: why, retryAfter: answer.retryAfter)
            default: .failed(why: why, retryAfter: answer.retryAfter)
            }
    }

    package init(_ failure: WebhookFailure) {
        self = .failed(why: failure.description)
    }

    /// The outcome as it counts for a hook that has another receiver by now.
    package var ofFormerReceiver: DeliveryOutcome {
        if case .gone(let why) = self { .failed(why: why) } else { self }
    }
}

/// The consequences of an outcome.
package struct DeliveryReport: Sendable, Equatable {
    /// An event that is not tried again.
    package struct GivenUp: Sendable, Equatable {
        package let event: DeliveryEvent
        /// The attempts of its user since the last one that succeeded.
        package let attempts: Int
        package let why: String
        /// Whether it was given up before its time, since too many events were parked.
        package let isEarly: Bool
    }

    package var givenUp: [GivenUp] = []
    /// Whether the hook is paused by this outcome.
    package var pauses: DeliveryQueue.Pause?

    package init() {}
}
