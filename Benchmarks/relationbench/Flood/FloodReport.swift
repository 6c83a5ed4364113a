/// What a flood saw.
struct FloodReport {
    /// The calls that were started; all of them have ended, well or as failures.
    var calls = 0

    /// The calls that did not end with HTTP status 200, one whole message (the expected one, where
    /// one is expected) and `grpc-status: 0`.
    var failures = 0

    /// The calls that ended with a status that was to be expected, by that status.
    var refusals: [Int: Int] = [:]

    /// The calls that ended well, but later than their callers wait.
    var late = 0

    /// The calls that ended well and in time within ``Flood/window``.
    var goodInWindow = 0

    /// What was wrong with the first call that failed.
    var firstFailure: String?

    /// From the first request to the last answer.
    var seconds = 0.0

    /// From the moment a request's bytes were given to the kernel, or queued behind a full socket,
    /// to the read that brought its trailers; of the calls that went well.
    var p50 = Duration.zero
    var p99 = Duration.zero
    var highest = Duration.zero

    /// The payload of all DATA frames received.
    var answerBytes = 0

    /// The calls that ended well, and in time.
    var good: Int { calls - failures - late - refusals.values.reduce(0, +) }

    var callsPerSecond: Double { seconds > 0 ? Double(calls) / seconds : 0 }
}
