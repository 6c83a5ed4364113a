public import Protobuf

/// The source whose limits, defaults and profile codes an app starts with.
public struct AppPreset: OpenEnum, Scalar {
    /// In a request: ``tim``.
    public static let unspecified = AppPreset(rawValue: 0)
    /// The preset of Tencent IM.
    public static let tim = AppPreset(rawValue: 1)
    /// The preset of RongCloud.
    public static let rongCloud = AppPreset(rawValue: 2)

    public static let schema = EnumSchema(
        "relation.v1.AppPreset",
        [
            (unspecified.rawValue, "APP_PRESET_UNSPECIFIED"),
            (tim.rawValue, "APP_PRESET_TIM"),
            (rongCloud.rawValue, "APP_PRESET_RONGCLOUD"),
        ],
        spelled: [
            rongCloud.rawValue: "rongCloud"
        ])

    public let rawValue: Int32

    @inlinable public init(rawValue: Int32) {
        self.rawValue = rawValue
    }
}
