import Logging
package import RPC

extension ServerCall {
    /// Ends the call with an error; its cause goes to the log.
    package func fail(_ error: RPCError) {
        if let cause = error.cause { tell("\(cause)") }
        if error.reason != 0, isOpen { loop.meter.failed(error.reason) }
        var status = Status(error)
        if error.isMalformed, let code = state.web?.framing.malformed {
            status = Status(code, error.message, details: error.details)
        }
        finish(status, error.trailers, error.fields)
    }

    /// Tells of an internal error: the observer if there is one, which knows more of the call, or
    /// the log.
    func tell(_ cause: String) {
        if let notes {
            notes.cause = cause
        } else {
            loop.faults.log(
                .error, "call failed", at: loop.now, ["call": "\(path)", "cause": "\(cause)"])
        }
    }

    /// Ends a call whose answer is longer than any may be.
    func failTooLong(_ length: Int) {
        finish(
            Status(
                .resourceExhausted,
                "an answer of \(length) bytes is longer than \(loop.maxSentMessageBytes)"))
    }
}
