public import Protobuf

/// The state of a hook.
public struct HookState: OpenEnum, Scalar {
    /// Never answered.
    public static let unspecified = HookState(rawValue: 0)
    /// It gets events.
    public static let active = HookState(rawValue: 1)
    /// An administrator paused it: it gets no events until UpdateHook sets `paused` to false.
    public static let paused = HookState(rawValue: 2)
    /// Its requests failed for three days without a success, or the receiver answered 410, and the
    /// server stopped it.
    public static let stopped = HookState(rawValue: 3)

    public static let schema = EnumSchema(
        "relation.v1.HookState",
        [
            (unspecified.rawValue, "HOOK_STATE_UNSPECIFIED"),
            (active.rawValue, "HOOK_STATE_ACTIVE"),
            (paused.rawValue, "HOOK_STATE_PAUSED"),
            (stopped.rawValue, "HOOK_STATE_STOPPED"),
        ])

    public let rawValue: Int32

    @inlinable public init(rawValue: Int32) {
        self.rawValue = rawValue
    }
}
