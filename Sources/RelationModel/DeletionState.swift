public import Protobuf

/// How far the deletion of an account has come (ours).
public struct DeletionState: OpenEnum, Scalar {
    public let rawValue: Int32

    @inlinable public init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// Never answered.
    public static let unspecified = DeletionState(rawValue: 0)
    /// Rows are still being removed; the user is no longer an account.
    public static let running = DeletionState(rawValue: 1)
    /// Every row is gone.
    public static let done = DeletionState(rawValue: 2)

    public static let schema = EnumSchema(
        "relation.v1.DeletionState",
        [
            (unspecified.rawValue, "DELETION_STATE_UNSPECIFIED"),
            (running.rawValue, "DELETION_STATE_RUNNING"),
            (done.rawValue, "DELETION_STATE_DONE"),
        ])
}
