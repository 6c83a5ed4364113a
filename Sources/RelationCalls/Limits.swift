/// The bounds of what an answer says.
package enum AnswerLimits {
    /// Bad fields that one refusal names; whoever sends more learns of the first ones.
    ///
    /// They travel in the trailers, which clients bound.
    package static let violations = 30
    /// How long a refused caller is asked to wait before it tries again.
    package static let retryAfterMilliseconds: Int64 = 100
}
