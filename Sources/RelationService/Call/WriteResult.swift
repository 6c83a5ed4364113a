/// The answer of a write that does one thing as a whole, with whether it changed anything.
package struct WriteResult<Response> {
    /// The answer, as it is sent if the write stands, and if it is only tried.
    private let answer: (_ stands: Bool) -> Response
    /// Whether at least one row changed.
    package let applied: Bool
    /// Whether the write refuses what it was asked for: it is then held back whole if the request
    /// wants all or nothing.
    package let isRefused: Bool
    /// The answer to a repeated request, if that has less than this one: secrets are sent once.
    package let kept: Response?

    package init(
        response: Response, applied: Bool, isRefused: Bool = false, kept: Response? = nil
    ) {
        answer = { _ in response }
        self.applied = applied
        self.isRefused = isRefused
        self.kept = kept
    }

    /// An answer whose results say which of them changed anything; none does in a write that does
    /// not stand.
    package init(
        applied: Bool, isRefused: Bool = false,
        answering answer: @escaping (_ stands: Bool) -> Response
    ) {
        self.answer = answer
        self.applied = applied
        self.isRefused = isRefused
        kept = nil
    }

    package func response(ifItStands stands: Bool) -> Response {
        answer(stands)
    }
}
