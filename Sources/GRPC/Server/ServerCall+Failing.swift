import Logging

extension ServerCall {
    /// Ends the call with an error; its cause goes to the log.
    package func fail(_ error: RPCError) {
        if let cause = error.cause {
            loop.faults.log(
                .error, "call failed", at: loop.now, ["call": "\(path)", "cause": "\(cause)"])
        }
        if error.reason != 0, isOpen { loop.meter.failed(error.reason) }
        finish(Status(error), error.trailers, error.fields)
    }

    /// Ends a call whose answer is longer than any may be.
    func failTooLong(_ length: Int) {
        finish(
            Status(
                .resourceExhausted,
                "an answer of \(length) bytes is longer than \(loop.maxSentMessageBytes)"))
    }
}
