public import Protobuf

/// The users that a search may show a user to, for one way of finding it.
///
/// Zero is a value with an effect, so a request that sets it says so (`optional`).
public struct Findability: OpenEnum, Scalar {
    /// The user has not chosen: the app decides.
    public static let notSet = Findability(rawValue: 0)
    /// No other user; administrators all the same.
    public static let noUser = Findability(rawValue: 1)
    /// Every user of the app that the user has not on its blacklist.
    public static let everyone = Findability(rawValue: 2)

    public static let schema = EnumSchema(
        "relation.v1.Findability",
        [
            (notSet.rawValue, "FINDABILITY_NOT_SET"),
            (noUser.rawValue, "FINDABILITY_NO_USER"),
            (everyone.rawValue, "FINDABILITY_EVERYONE"),
        ])

    public let rawValue: Int32

    @inlinable public init(rawValue: Int32) {
        self.rawValue = rawValue
    }
}
