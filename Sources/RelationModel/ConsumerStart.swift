public import Protobuf

/// Where a new consumer begins.
public struct ConsumerStart: OpenEnum, Scalar {
    /// Means ``state``.
    public static let unspecified = ConsumerStart(rawValue: 0)
    /// With the present state, which comes at the beginning of the first stream.
    public static let state = ConsumerStart(rawValue: 1)
    /// With the first event after this call.
    public static let now = ConsumerStart(rawValue: 2)
    /// After the event of `resume_token`.
    public static let token = ConsumerStart(rawValue: 3)

    public static let schema = EnumSchema(
        "relation.v1.ConsumerStart",
        [
            (unspecified.rawValue, "CONSUMER_START_UNSPECIFIED"),
            (state.rawValue, "CONSUMER_START_STATE"),
            (now.rawValue, "CONSUMER_START_NOW"),
            (token.rawValue, "CONSUMER_START_TOKEN"),
        ])

    public let rawValue: Int32

    @inlinable public init(rawValue: Int32) {
        self.rawValue = rawValue
    }
}
