public import Protobuf

/// The form of a hook's requests.
public struct HookForm: OpenEnum, Scalar {
    /// In a request: ``cloudEvents``.
    public static let unspecified = HookForm(rawValue: 0)
    /// CloudEvents 1.0 in JSON, with the signature of Standard Webhooks.
    public static let cloudEvents = HookForm(rawValue: 1)
    /// TIM's callbacks after a change, in JSON: of friends, blacklists, profiles and follows.
    public static let timCallbacks = HookForm(rawValue: 2)
    /// Calls of gRPC: of the service `relation.hook.v1.HookReceiverService`, which the app
    /// implements.
    public static let grpc = HookForm(rawValue: 3)

    public static let schema = EnumSchema(
        "relation.v1.HookForm",
        [
            (unspecified.rawValue, "HOOK_FORM_UNSPECIFIED"),
            (cloudEvents.rawValue, "HOOK_FORM_CLOUD_EVENTS"),
            (timCallbacks.rawValue, "HOOK_FORM_TIM_CALLBACKS"),
            (grpc.rawValue, "HOOK_FORM_GRPC"),
        ])

    public let rawValue: Int32

    @inlinable public init(rawValue: Int32) {
        self.rawValue = rawValue
    }
}
