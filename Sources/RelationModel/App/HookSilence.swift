public import Protobuf

/// The meaning of a question without a good answer in time: none came, or another status than 200,
/// or an answer that is not an answer to the question.
public struct HookSilence: OpenEnum, Scalar {
    /// In a request: ``allow``.
    public static let unspecified = HookSilence(rawValue: 0)
    /// The call goes on as if the hook had allowed it, as TIM does.
    public static let allow = HookSilence(rawValue: 1)
    /// Every item of the call is refused with 38000, reason REASON_HOOK_SILENT.
    public static let refuse = HookSilence(rawValue: 2)
    /// The call fails with UNAVAILABLE, reason HOOK_SILENT.
    public static let fail = HookSilence(rawValue: 3)

    public static let schema = EnumSchema(
        "relation.v1.HookSilence",
        [
            (unspecified.rawValue, "HOOK_SILENCE_UNSPECIFIED"),
            (allow.rawValue, "HOOK_SILENCE_ALLOW"),
            (refuse.rawValue, "HOOK_SILENCE_REFUSE"),
            (fail.rawValue, "HOOK_SILENCE_FAIL"),
        ])

    public let rawValue: Int32

    @inlinable public init(rawValue: Int32) {
        self.rawValue = rawValue
    }
}
