import RelationModel

/// The reasons for which one call refuses the values of a friend, in the order in which it asks.
struct FriendReasons: Sendable {
    /// The reasons for refusing custom values.
    struct Custom {
        let illegal: Reason
        let notExist: Reason
        let notWritable: Reason
    }

    /// The id of the user is malformed.
    let userID: Reason
    /// The rules for the texts and groups, with the reason if one is broken.
    let rules: [(rule: FriendValueRule, reason: Reason)]
    let custom: Custom

    static let add: FriendReasons = {
        typealias Why = Reason.FriendAdd
        return FriendReasons(
            userID: Why.userIDIllegal,
            rules: [
                (.remark, Why.remarkIllegal), (.wording, Why.wordingIllegal),
                (.source, Why.sourceIllegal), (.boundedGroups, Why.groupIllegal),
            ],
            custom: Custom(
                illegal: Why.customIllegal, notExist: Why.customTagNotExist,
                notWritable: Why.customNotWritable))
    }()

    static let accept: FriendReasons = {
        typealias Why = Reason.InvitationAccept
        return FriendReasons(
            userID: Why.codeIllegal,
            rules: [(.remark, Why.remarkIllegal), (.wording, Why.wordingIllegal)],
            // The call takes no custom values.
            custom: Custom(
                illegal: Why.codeIllegal, notExist: Why.codeIllegal, notWritable: Why.codeIllegal))
    }()

    static let update: FriendReasons = {
        typealias Why = Reason.FriendUpdate
        return FriendReasons(
            userID: Why.userIDIllegal,
            rules: [
                (.remark, Why.remarkIllegal), (.groupCount, Why.groupLimit),
                (.groups, Why.groupIllegal),
                (.marks, Why.markIllegal),
            ],
            custom: Custom(
                illegal: Why.customIllegal, notExist: Why.customTagNotExist,
                notWritable: Why.customNotWritable))
    }()

    static let respond: FriendReasons = {
        typealias Why = Reason.FriendResponse
        return FriendReasons(
            userID: Why.userIDIllegal,
            rules: [(.remark, Why.remarkIllegal), (.boundedGroups, Why.groupIllegal)],
            custom: Custom(
                illegal: Why.customIllegal, notExist: Why.customTagNotExist,
                notWritable: Why.customNotWritable))
    }()

    static let importing: FriendReasons = {
        typealias Why = Reason.FriendImport
        return FriendReasons(
            userID: Why.userIDIllegal,
            rules: [
                (.remark, Why.remarkIllegal), (.groupCount, Why.groupLimit),
                (.groups, Why.groupIllegal),
                (.source, Why.sourceIllegal), (.wording, Why.wordingIllegal),
                (.marks, Why.markIllegal),
            ],
            // An import acts as an administrator, and so may write every field.
            custom: Custom(
                illegal: Why.customIllegal, notExist: Why.customTagNotExist,
                notWritable: Why.customIllegal))
    }()
}
