public import Protobuf

/// The users that may read a profile beyond its id, name and portrait.
///
/// The numbers are RongCloud's. Zero is a value with an effect, so a request that sets it says so
/// (`optional`).
public struct Visibility: OpenEnum, Scalar {
    /// The user has not chosen: the app decides.
    public static let notSet = Visibility(rawValue: 0)
    /// Only the user itself, and administrators.
    public static let invisible = Visibility(rawValue: 1)
    /// Every user of the app.
    public static let everyone = Visibility(rawValue: 2)
    /// The users in the user's own friend list.
    public static let friends = Visibility(rawValue: 3)
    /// The users that follow the user.
    public static let followers = Visibility(rawValue: 4)
    /// The users in friend groups that the user chose; of a single field only.
    public static let groups = Visibility(rawValue: 5)

    public static let schema = EnumSchema(
        "relation.v1.Visibility",
        [
            (notSet.rawValue, "VISIBILITY_NOT_SET"),
            (invisible.rawValue, "VISIBILITY_INVISIBLE"),
            (everyone.rawValue, "VISIBILITY_EVERYONE"),
            (friends.rawValue, "VISIBILITY_FRIENDS"),
            (followers.rawValue, "VISIBILITY_FOLLOWERS"),
            (groups.rawValue, "VISIBILITY_GROUPS"),
        ])

    public let rawValue: Int32

    @inlinable public init(rawValue: Int32) {
        self.rawValue = rawValue
    }
}
