import RelationCore

extension WrittenList {
    /// The list that the calls of `service` write.
    init(of service: String) {
        self =
            switch service {
            case "relation.v1.FriendService": .friends
            case "relation.v1.FriendGroupService": .groups
            case "relation.v1.FriendApplicationService": .pendencies
            case "relation.v1.BlacklistService": .blacklist
            case "relation.v1.SubscriptionService": .subscriptions
            case "relation.v1.ConsentService": .consents
            case "relation.v1.FollowService": .following
            case "relation.v1.InvitationService": .invitations
            default: .log
            }
    }
}
