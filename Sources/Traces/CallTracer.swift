package import GRPC

/// The observer that has calls traced, and hands their traces to the exporter.
///
/// A call that is not traced costs a look for its `traceparent`. A call that is costs some looks at
/// the clock, and a place in the queue of the exporter.
package final class CallTracer: CallObserver {
    private let sampling: TraceSampling
    private let namesUsers: Bool
    private let exporter: SpanExporter
    /// The log of calls, whose lines have the same ids.
    private let next: (any CallObserver)?

    /// - Parameters:
    ///   - namesUsers: Whether spans have the ids of users.
    ///   - next: The observer that is notified of each call after this one.
    package init(
        _ sampling: TraceSampling, namingUsers namesUsers: Bool = false,
        to exporter: SpanExporter, before next: (any CallObserver)? = nil
    ) {
        self.sampling = sampling
        self.namesUsers = namesUsers
        self.exporter = exporter
        self.next = next
    }

    package func begins(_ notes: CallNotes) {
        notes.readHeaders()
        if let trace = sampling.trace(of: notes.trace, exporter.ids) { notes.trace(as: trace) }
        next?.begins(notes)
    }

    package func ended(_ notes: CallNotes) {
        if notes.isTraced, let trace = notes.trace {
            exporter.add(CallTrace(notes, trace, namesUsers: namesUsers))
        }
        next?.ended(notes)
    }
}
