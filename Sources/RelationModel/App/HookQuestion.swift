public import Protobuf

/// A kind of call that a hook is asked about before it is carried out.
public struct HookQuestion: OpenEnum, Scalar {
    /// In a request: refused.
    public static let unspecified = HookQuestion(rawValue: 0)
    /// AddFriends, also through TIM's REST API.
    ///
    /// TIM's Sns.CallbackPrevFriendAdd.
    public static let addFriends = HookQuestion(rawValue: 1)
    /// RespondToApplications.
    ///
    /// TIM's Sns.CallbackPrevFriendResponse.
    public static let respondToApplications = HookQuestion(rawValue: 2)
    /// UpdateProfile.
    ///
    /// TIM has no callback before it.
    public static let updateProfile = HookQuestion(rawValue: 3)
    /// Follow.
    ///
    /// TIM has no callback before it.
    public static let follow = HookQuestion(rawValue: 4)
    /// AddToBlacklist.
    ///
    /// TIM has no callback before it.
    public static let addToBlacklist = HookQuestion(rawValue: 5)
    /// UpdateFriends, also through TIM's REST API.
    ///
    /// TIM has no callback before it.
    public static let updateFriends = HookQuestion(rawValue: 6)

    public static let schema = EnumSchema(
        "relation.v1.HookQuestion",
        [
            (unspecified.rawValue, "HOOK_QUESTION_UNSPECIFIED"),
            (addFriends.rawValue, "HOOK_QUESTION_ADD_FRIENDS"),
            (respondToApplications.rawValue, "HOOK_QUESTION_RESPOND_TO_APPLICATIONS"),
            (updateProfile.rawValue, "HOOK_QUESTION_UPDATE_PROFILE"),
            (follow.rawValue, "HOOK_QUESTION_FOLLOW"),
            (addToBlacklist.rawValue, "HOOK_QUESTION_ADD_TO_BLACKLIST"),
            (updateFriends.rawValue, "HOOK_QUESTION_UPDATE_FRIENDS"),
        ])

    public let rawValue: Int32

    @inlinable public init(rawValue: Int32) {
        self.rawValue = rawValue
    }
}
