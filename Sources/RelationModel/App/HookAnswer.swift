public import Protobuf

/// The answer of a hook about a call that changed something.
public struct HookAnswer: OpenEnum, Scalar {
    /// No hook was asked.
    public static let unspecified = HookAnswer(rawValue: 0)
    /// The hook allowed the call as it was, or all of it but items that it refused.
    public static let allowed = HookAnswer(rawValue: 1)
    /// The hook changed texts of the call.
    public static let changed = HookAnswer(rawValue: 2)
    /// The hook gave no answer, and the app lets calls go on then.
    public static let silent = HookAnswer(rawValue: 3)

    public static let schema = EnumSchema(
        "relation.v1.HookAnswer",
        [
            (unspecified.rawValue, "HOOK_ANSWER_UNSPECIFIED"),
            (allowed.rawValue, "HOOK_ANSWER_ALLOWED"),
            (changed.rawValue, "HOOK_ANSWER_CHANGED"),
            (silent.rawValue, "HOOK_ANSWER_SILENT"),
        ])

    public let rawValue: Int32

    @inlinable public init(rawValue: Int32) {
        self.rawValue = rawValue
    }
}
