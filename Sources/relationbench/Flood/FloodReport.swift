/// What a flood saw.
struct FloodReport {
    /// The calls that were started; all of them have ended, well or as failures.
    var calls = 0

    /// The calls that did not end with HTTP status 200, one whole message (the expected one, where
    /// one is expected) and `grpc-status: 0`.
    var failures = 0

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

    var callsPerSecond: Double { seconds > 0 ? Double(calls) / seconds : 0 }
}
