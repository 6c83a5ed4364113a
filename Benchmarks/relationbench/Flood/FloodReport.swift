/// The results of a flood.
struct FloodReport {
    /// The calls that were started; all have ended, with success or as failures.
    var calls = 0
    /// The calls that did not end with HTTP status 200, one whole message and `grpc-status: 0`.
    ///
    /// If an answer is expected, the message must be that answer.
    var failures = 0
    /// The calls that ended with an expected refusal, by status.
    var refusals: [Int: Int] = [:]
    /// The calls that ended with success, but later than their callers wait.
    var late = 0
    /// The calls that ended with success and in time within ``Flood/window``.
    var goodInWindow = 0
    /// The error of the first call that failed.
    var firstFailure: String?
    /// The seconds from the first request to the last answer.
    var seconds = 0.0
    /// The median time of the calls that succeeded.
    ///
    /// It counts from the moment when a request's bytes were given to the kernel, or queued after
    /// a full socket, to the read that brought its trailers.
    var p50 = Duration.zero
    var p99 = Duration.zero
    var highest = Duration.zero
    /// The bytes of payload of all DATA frames received.
    var answerBytes = 0

    var callsPerSecond: Double { seconds > 0 ? Double(calls) / seconds : 0 }

    /// A call's part of processor time that all of them took.
    func microseconds(ofSeconds seconds: Double) -> Double { seconds * 1e6 / Double(max(1, calls)) }

    /// Takes the times of calls.
    mutating func merge(_ times: LatencyHistogram) {
        p50 = times.percentile(0.50)
        p99 = times.percentile(0.99)
        highest = .nanoseconds(Int64(times.highestNanoseconds))
    }

    /// The same report.
    ///
    /// - Throws: ``FloodError`` if a call failed, or none was made.
    func checked(_ title: String) throws(FloodError) -> FloodReport {
        guard failures == 0, calls > 0 else {
            throw FloodError(
                "\(title): \(failures) of \(calls) calls failed, the first with "
                    + (firstFailure ?? "nothing said"))
        }
        return self
    }
}
