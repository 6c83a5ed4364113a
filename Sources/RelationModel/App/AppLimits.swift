/// The bounds that an app's settings may change.
///
/// There are two presets, one with the limits of each source system.
package struct AppLimits: Hashable, Sendable {
    // MARK: Lists

    /// Friends of one user; one more answers ``FriendStatus/selfFriendFull``.
    package var friends = 3_000
    /// Users on one user's blacklist; one more answers ``FriendStatus/blacklistFull``.
    package var blacklistedUsers = 1_000
    /// The highest limit of ``groups`` that an app may choose.
    package static let mostGroups = 1_000

    /// Friend groups of one user; one more answers ``FriendStatus/groupLimit``.
    package var groups = 32
    /// Waiting applications of one user in each direction; one more answers
    /// ``FriendStatus/pendencyLimit``.
    package var pendencies = 100

    /// Users that one user subscribes to, of each type; one more answers
    /// ``SubscriptionStatus/subscriberFull``.
    package var subscriptions = 1_000
    /// Users that subscribe to one user, of each type; one more answers
    /// ``SubscriptionStatus/publisherFull``.
    package var subscribers = 5_000

    /// Users that one user follows; one more answers ``FollowStatus/followingFull``.
    package var followings = 5_000
    /// Followers of one user; one more answers ``FollowStatus/followersFull``.
    ///
    /// 0 means that there is no limit.
    package var followers = 0
    /// Users that follow one user and are followed by it; one more answers
    /// ``FollowStatus/selfMutualFull`` or ``FollowStatus/theirMutualFull``.
    ///
    /// 0 means that there is no limit but ``followings``.
    package var mutualFollows = 0
    /// Invitations of one user that are still good; one more answers
    /// ``FriendStatus/invalidParameter``.
    package var invitations = 20
    /// Users that one user has dismissed as suggestions; one more answers
    /// ``FriendStatus/invalidParameter``.
    package var dismissedSuggestions = 10_000
    /// Fields of a profile for which one user has chosen who may read them; one more answers
    /// ``ProfileStatus/sizeLimit``.
    package var fieldVisibilities = 50
    /// Consumers of the app's changes; one more is refused with
    /// ``ErrorReason/tooManyConsumers``.
    package var consumers = 100

    // MARK: Texts of a relation

    /// The name of a friend group, which is never empty.
    package var groupName = TextLimit.bytes(30)
    /// The remark on a friend.
    package var remark = TextLimit.bytes(96)
    /// The wording of an application.
    ///
    /// TIM's client allows 120 bytes and its server 256, so an app may raise this to
    /// ``maxWording``.
    package var wording = TextLimit.bytes(120)

    /// The custom status of a user.
    package var status = TextLimit.characters(100)

    // MARK: Profiles

    package var nick = TextLimit.bytes(500)
    package var faceURL = TextLimit.bytes(500)
    package var selfSignature = TextLimit.bytes(500)
    package var locationBytes = 16
    package var uniqueID = TextLimit.characters(32)
    package var email = TextLimit.characters(128)
    package var birthdayText = TextLimit.characters(32)
    package var locationText = TextLimit.characters(32)
    /// The highest level and the highest role.
    package var level = UInt32.max
    package var role = UInt32.max
    /// Profiles that one GetProfiles asks for.
    package var profilesPerCall = 100

    // MARK: Custom fields

    /// Custom fields of a profile, and of a friend.
    package var profileKeys = 20
    package var friendKeys = 20
    /// The longest key of a custom field.
    package var customKeyBytes = 8
    /// Whether a key may have digits and underscores beside letters.
    package var customKeysHaveDigits = false
    /// The longest value of a custom field that is a text.
    package var customValue = TextLimit.bytes(500)

    /// Digests of contacts that one user asks for in a window; one more answers
    /// ``FriendStatus/invalidParameter``.
    package var contactLookups = 10_000
    /// Fields of all profiles under review; a further one answers
    /// ``ProfileStatus/invalidParameter``.
    package var reviews = 10_000

    /// The highest limit of ``wording`` that an app may choose.
    package static let maxWording = TextLimit.bytes(256)

    /// The highest limit of ``status`` that an app may choose.
    package static let maxStatus = TextLimit.characters(256)

    /// The highest limit of ``groupName`` that an app may choose.
    ///
    /// A call may name a group with up to this length, because the app may have allowed longer
    /// names before.
    package static let maxGroupName = TextLimit.bytes(256)

    /// The limits of Tencent IM, which a new app starts with.
    package static let tim = AppLimits()

    /// The limits of RongCloud's hosted profiles and friends.
    package static let rongCloud: AppLimits = {
        var limits = AppLimits()
        limits.nick = .characters(32)
        limits.faceURL = .characters(128)
        limits.remark = .characters(64)
        limits.wording = .characters(128)
        limits.level = 100
        limits.role = 100
        limits.profilesPerCall = 20
        limits.friendKeys = 10
        limits.customKeyBytes = 32
        limits.customKeysHaveDigits = true
        limits.customValue = .characters(256)
        return limits
    }()

    package init() {}
}

extension AppLimits {
    /// Whether a custom field may have `key`.
    ///
    /// A key has letters, with RongCloud's limits also digits and underscores, and at most as many
    /// bytes as the app allows.
    package func allowsCustomKey(_ key: String) -> Bool {
        (1...customKeyBytes).contains(key.utf8.count)
            && key.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "a")...UInt8(ascii: "z"):
                    true
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                    customKeysHaveDigits
                default: false
                }
            }
    }
}
