public import Protobuf

/// How others see a field whose new value is under review.
public struct ReviewState: OpenEnum, Scalar {
    /// In requests: of any state.
    public static let unspecified = ReviewState(rawValue: 0)
    /// The new value waits: others see the value that was approved before.
    public static let held = ReviewState(rawValue: 1)
    /// The new value is seen by others, and may be taken back.
    public static let shown = ReviewState(rawValue: 2)

    public static let schema = EnumSchema(
        "relation.v1.ReviewState",
        [
            (unspecified.rawValue, "REVIEW_STATE_UNSPECIFIED"),
            (held.rawValue, "REVIEW_STATE_HELD"),
            (shown.rawValue, "REVIEW_STATE_SHOWN"),
        ])

    public let rawValue: Int32

    @inlinable public init(rawValue: Int32) {
        self.rawValue = rawValue
    }
}
