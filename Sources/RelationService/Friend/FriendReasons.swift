import RelationModel

/// The reasons for which one call refuses the values of a friend, in the order in which it asks.
struct FriendReasons: Sendable {
    /// A rule for one of the values, with the reason if it is broken.
    enum Rule {
        case remark(Reason)
        case wording(Reason)
        case source(Reason)
        /// The only group of a call that takes one at most.
        case group(Reason)
        /// Each name is legal and given once, and there are not more than any app allows.
        case groups(Reason, tooMany: Reason)
    }

    /// The reasons for refusing custom values.
    struct Custom {
        let illegal: Reason
        let notExist: Reason
        let notWritable: Reason

        /// Those of a call that takes no custom values, and so never tells them.
        static let untold = Custom(illegal: .none, notExist: .none, notWritable: .none)
    }

    /// The id of the user is malformed.
    let userID: Reason
    let rules: [Rule]
    let custom: Custom

    static let add: FriendReasons = {
        typealias Why = Reason.FriendAdd
        return FriendReasons(
            userID: Why.userIDIllegal,
            rules: [
                .remark(Why.remarkIllegal), .wording(Why.wordingIllegal),
                .source(Why.sourceIllegal), .group(Why.groupIllegal),
            ],
            custom: Custom(
                illegal: Why.customIllegal, notExist: Why.customTagNotExist,
                notWritable: Why.customNotWritable))
    }()

    static let update: FriendReasons = {
        typealias Why = Reason.FriendUpdate
        return FriendReasons(
            userID: Why.userIDIllegal,
            rules: [
                .remark(Why.remarkIllegal), .groups(Why.groupIllegal, tooMany: Why.groupLimit),
            ],
            custom: Custom(
                illegal: Why.customIllegal, notExist: Why.customTagNotExist,
                notWritable: Why.customNotWritable))
    }()

    static let respond: FriendReasons = {
        typealias Why = Reason.FriendResponse
        return FriendReasons(
            userID: Why.userIDIllegal,
            rules: [.remark(Why.remarkIllegal), .group(Why.groupIllegal)], custom: .untold)
    }()

    static let importing: FriendReasons = {
        typealias Why = Reason.FriendImport
        return FriendReasons(
            userID: Why.userIDIllegal,
            rules: [
                .remark(Why.remarkIllegal), .groups(Why.groupIllegal, tooMany: Why.groupLimit),
                .source(Why.sourceIllegal), .wording(Why.wordingIllegal),
            ],
            // An import acts as an administrator, and so may write every field.
            custom: Custom(
                illegal: Why.customIllegal, notExist: Why.customTagNotExist,
                notWritable: Why.customIllegal))
    }()
}
