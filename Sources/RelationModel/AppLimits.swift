/// The bounds that an app's settings may change.
///
/// Lengths count bytes of UTF-8.
public struct AppLimits: Hashable, Sendable {
    /// Friends of one user; one more answers ``FriendStatus/selfFriendFull``.
    public var friends = 3_000
    /// Users on one user's blacklist; one more answers ``FriendStatus/blacklistFull``.
    public var blacklistedUsers = 1_000
    /// Friend groups of one user; one more answers ``FriendStatus/groupLimit``.
    public var groups = 32
    /// The name of a friend group, which is never empty.
    public var groupNameBytes = 30
    /// Waiting applications of one user in each direction; one more answers
    /// ``FriendStatus/pendencyLimit``.
    public var pendencies = 100
    /// The remark on a friend.
    public var remarkBytes = 96
    /// The wording of an application.
    ///
    /// TIM's client allows 120 and its server 256, so an app may raise this to
    /// ``maxWordingBytes``.
    public var wordingBytes = 120
    /// A nick, a face URL, a self signature or the value of a custom field.
    public var profileValueBytes = 500
    /// A location.
    public var locationBytes = 16

    /// The highest ``wordingBytes`` that an app may choose.
    public static let maxWordingBytes = 256

    /// The limits of the preset `tim`, which is the default.
    public static let tim = AppLimits()

    public init() {}
}
