public import Protobuf

/// How a review ended.
public struct ReviewDecision: OpenEnum, Scalar {
    /// It has not ended.
    public static let unspecified = ReviewDecision(rawValue: 0)
    /// The new value was approved: others see it.
    public static let approved = ReviewDecision(rawValue: 1)
    /// The new value was rejected: others see the value that was approved before.
    public static let rejected = ReviewDecision(rawValue: 2)
    /// Nothing is left to decide.
    public static let withdrawn = ReviewDecision(rawValue: 3)

    public static let schema = EnumSchema(
        "relation.v1.ReviewDecision",
        [
            (unspecified.rawValue, "REVIEW_DECISION_UNSPECIFIED"),
            (approved.rawValue, "REVIEW_DECISION_APPROVED"),
            (rejected.rawValue, "REVIEW_DECISION_REJECTED"),
            (withdrawn.rawValue, "REVIEW_DECISION_WITHDRAWN"),
        ])

    public let rawValue: Int32

    @inlinable public init(rawValue: Int32) {
        self.rawValue = rawValue
    }
}
