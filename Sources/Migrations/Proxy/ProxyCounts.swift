/// The counts of the work that a proxy has done so far.
package struct ProxyCounts: Sendable, Equatable {
    /// Requests that were answered, by the old system or with 502.
    package var requests = 0
    /// Requests to which the old system gave no answer.
    package var unanswered = 0
    /// Requests whose answers were compared.
    package var compared = 0
    /// Requests whose answers differ.
    package var different = 0
    /// Requests that the new system was not asked, since too many waited for it.
    package var unasked = 0
    /// Writes that the old system refused, so that the new system was not asked.
    package var refused = 0
    /// Requests to which the new system gave no answer.
    package var silent = 0

    package init() {}
}
