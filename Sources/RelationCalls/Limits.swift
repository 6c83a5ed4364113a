/// The bounds of the contents of an answer.
package enum AnswerLimits {
    /// Bad fields that one refusal names: the first ones, if a request has more.
    ///
    /// They travel in the trailers, which clients bound.
    package static let violations = 30
    /// How long a refused caller is asked to wait before it calls again.
    package static let retryAfterMilliseconds: Int64 = 100
    /// How long a caller is asked to wait whose read found all standbys behind.
    package static let behindRetryMilliseconds: Int64 = 50
}
