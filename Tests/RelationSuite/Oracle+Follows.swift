import RelationCore
import RelationModel

extension Oracle {
    mutating func follow(_ user: UserID, _ other: UserID, _ nowMs: Int64) -> Answer {
        guard user != other else { return Answer(30001, "Err_FollowAdd_Self") }
        guard accounts.contains(other) else { return Answer(30003) }
        if isSuspended(other, nowMs) { return Answer(30540, "Err_FollowAdd_Peer_Suspended") }
        let (mine, theirs) = (Pair(user, other), Pair(other, user))
        if view.blacklist.contains(mine) { return Answer(30515) }
        if view.blacklist.contains(theirs) { return Answer(30525) }
        if view.follows.contains(mine) { return Answer(0) }
        guard view.follows.count(where: { $0.from == user }) < limits.followings else {
            return Answer(32100)
        }
        if limits.followers > 0,
            view.follows.count(where: { $0.to == other }) >= limits.followers
        {
            return Answer(32101)
        }
        if limits.mutualFollows > 0, view.follows.contains(theirs) {
            if mutualCount(user) >= limits.mutualFollows { return Answer(32102) }
            if mutualCount(other) >= limits.mutualFollows { return Answer(32103) }
        }
        view.follows.insert(mine)
        return Answer(0)
    }

    mutating func unfollow(_ user: UserID, _ other: UserID) -> Answer {
        guard user != other else { return Answer(30001, "Err_FollowDelete_Self") }
        guard accounts.contains(other) else { return Answer(30003) }
        view.follows.remove(Pair(user, other))
        return Answer(0)
    }

    func mutualCount(_ user: UserID) -> Int {
        view.follows.count { $0.from == user && view.follows.contains(Pair($0.to, user)) }
    }
}

extension Oracle {
    mutating func dismiss(_ other: UserID, for user: UserID) -> Answer {
        guard user != other else { return Answer(30001, "Err_SuggestionDismiss_Self") }
        guard accounts.contains(other) else { return Answer(30003) }
        let pair = Pair(user, other)
        if view.dismissals.contains(pair) { return Answer(0) }
        guard
            view.dismissals.count(where: { $0.from == user }) < limits.dismissedSuggestions
        else { return Answer(30001, "Err_SuggestionDismiss_Num_Exceed_Threshold") }
        view.dismissals.insert(pair)
        return Answer(0)
    }

    mutating func restore(_ other: UserID, for user: UserID) -> Answer {
        view.dismissals.remove(Pair(user, other))
        return Answer(0)
    }

    mutating func setStatus(
        _ text: String, of user: UserID, until seconds: Int64, _ nowMs: Int64
    ) -> Answer {
        guard text.count <= limits.status.count else {
            return Answer(30001, "Err_StatusSet_Text_Illegal")
        }
        if isForbidden([text]) { return Answer(30005) }
        let end = seconds == 0 ? 0 : nowMs + seconds * 1_000
        view.statuses[user] = text.isEmpty ? nil : StatusRecord(text, until: end)
        return Answer(0)
    }
}
