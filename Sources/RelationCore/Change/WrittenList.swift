/// The list that a write is about, whose sequence a caller may expect.
package enum WrittenList: Sendable {
    case friends, groups, pendencies, blacklist, subscriptions, consents, following, invitations
    /// No list: everything that the user's log tells.
    case log
}

extension UserRecord {
    /// The user's sequence when `list` last changed.
    package func lastChange(of list: WrittenList) -> Int64 {
        switch list {
        case .friends: friendsSequence
        case .groups: groupsSequence
        case .pendencies: pendenciesSequence
        case .blacklist: blacklistSequence
        case .subscriptions: subscriptionsSequence
        case .consents: consentsSequence
        case .following: followingSequence
        case .invitations: invitationsSequence
        case .log: sequence
        }
    }

    /// Whether a caller that has come to `known` knows `list` as it is.
    ///
    /// An earlier history of the app may have given out any number up to the floor, for other
    /// content. Of those only the list's own sequence counts, because the list still is what it was
    /// then.
    package func isUnchanged(_ list: WrittenList, since known: Int64, in history: History) -> Bool {
        let last = lastChange(of: list)
        return known == last || known > last && known > history.floor && known <= sequence
    }
}
