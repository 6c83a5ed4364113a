package import RPC

/// The answer of a receiver by gRPC.
package struct ReceiverAnswer: Sendable, Equatable {
    package var code: Status.Code
    /// The answer message; empty without the status OK.
    ///
    /// The receiver wrote it: it belongs into no log.
    package var message: [UInt8] = []
    /// The time that the receiver wants to be left alone, from `grpc-retry-pushback-ms`.
    package var retryAfter: Duration?
    /// Whether the receiver wants no call any more, by the trailer ``goneTrailer``.
    package var isGone = false

    /// The trailer with which a receiver ends a hook.
    package static let goneTrailer = "webhook-gone"

    package init(_ code: Status.Code) {
        self.code = code
    }

    /// The answer that a status of the receiver is, whose message is not kept.
    init(_ error: RPCError) {
        code = error.code
        if case .after(let time) = error.pushback { retryAfter = time }
        isGone = error.trailers.entries.contains { $0.name == Self.goneTrailer }
    }

    package var isOK: Bool { code == .ok }

    /// The number of the status, as failures tell it.
    package var status: Int { Int(code.rawValue) }

    /// The status in words, without the receiver's own.
    package var words: String { "the receiver answered \(code)" }
}

extension DeliveryOutcome {
    /// The outcome of a call, which is a success by the status OK.
    ///
    /// INVALID_ARGUMENT and OUT_OF_RANGE reject, as 400 does; RESOURCE_EXHAUSTED means busy. All
    /// others may be an error of the receiver's own, as UNIMPLEMENTED and PERMISSION_DENIED are
    /// while it is set up again.
    package init(_ answer: ReceiverAnswer) {
        let why = answer.words
        if answer.isGone, answer.code != .ok {
            self = .gone(why: why)
            return
        }
        self =
            switch answer.code {
            case .ok: .delivered
            case .invalidArgument, .outOfRange: .rejected(why: why)
            case .resourceExhausted: .busy(why: why, retryAfter: answer.retryAfter)
            default: .failed(why: why, retryAfter: answer.retryAfter)
            }
    }
}
