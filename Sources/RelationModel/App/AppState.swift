public import Protobuf

/// The state of an app (ours).
public struct AppState: OpenEnum, Scalar {
    /// Never answered.
    public static let unspecified = AppState(rawValue: 0)
    /// It takes calls.
    public static let active = AppState(rawValue: 1)
    /// No call finds it any more, and its rows are being removed.
    public static let deleting = AppState(rawValue: 2)
    /// No call finds it for a moment: it is about to be served from another database.
    public static let moving = AppState(rawValue: 3)

    public static let schema = EnumSchema(
        "relation.v1.AppState",
        [
            (unspecified.rawValue, "APP_STATE_UNSPECIFIED"),
            (active.rawValue, "APP_STATE_ACTIVE"),
            (deleting.rawValue, "APP_STATE_DELETING"),
            (moving.rawValue, "APP_STATE_MOVING"),
        ])

    public let rawValue: Int32

    @inlinable public init(rawValue: Int32) {
        self.rawValue = rawValue
    }
}
