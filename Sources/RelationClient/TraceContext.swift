internal import GRPCWire

/// The position of a call in a trace, as W3C's Trace Context says it.
///
/// A back end that got a trace with a request of its own passes it on with its calls, so that the
/// server's spans belong to the same trace:
///
/// ```swift
/// var options = CallOptions()
/// options.trace = TraceContext(
///     parent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", state: "vendor=abc")
/// ```
public struct TraceContext: Sendable, Hashable {
    /// The text of `traceparent`: a version, the trace's id, the id of the caller's span, flags.
    public let parent: String
    /// The text of `tracestate`, which only tracing systems understand; nil if there is none.
    public let state: String?

    /// Creates the position of a call from the texts of both fields.
    ///
    /// A state that breaks a rule of W3C is left out.
    ///
    /// - Returns: Nil for a parent that breaks a rule of W3C. The call then goes without a trace.
    public init?(parent: String, state: String? = nil) {
        guard TraceParent(parent) != nil else { return nil }
        self.parent = parent
        let isValid = state.map { !$0.isEmpty && TraceState.isValid(Array($0.utf8)) } ?? false
        self.state = isValid ? state : nil
    }
}

extension CallOptions {
    /// The metadata to send: that of the call, and its trace.
    var sentMetadata: CallMetadata {
        guard let trace, metadata["traceparent"] == nil else { return metadata }
        var metadata = metadata
        metadata["traceparent"] = trace.parent
        metadata["tracestate"] = trace.state
        return metadata
    }
}
