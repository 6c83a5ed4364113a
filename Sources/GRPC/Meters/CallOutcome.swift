import RPC

/// How calls of a group of callers end, in few words: each of them is a series for each group.
package enum CallOutcome: Int, Sendable, CaseIterable {
    case ok
    /// The request was wrong, or the caller may not do that, or it went away.
    case refused
    /// The caller had too much at once, or the server had.
    case exhausted
    /// The server erred, was away, or took too long.
    case failed

    /// - Parameter code: The number of a status code; a number that is none counts as a failure.
    init(code: UInt8) {
        self =
            switch Status.Code(rawValue: code) {
            case .ok: .ok
            case .resourceExhausted: .exhausted
            case .cancelled, .invalidArgument, .notFound, .alreadyExists, .permissionDenied,
                .failedPrecondition, .aborted, .outOfRange, .unauthenticated:
                .refused
            default: .failed
            }
    }

    /// The value of a label.
    package var name: String { "\(self)" }
}
