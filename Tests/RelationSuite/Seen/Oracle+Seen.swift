package import RelationModel

/// The views that users have of each other beside single fields, as the contract describes them.
extension Oracle {
    mutating func showProfile(of user: UserID, _ level: Visibility) -> Answer {
        view.profileLevels[user] = level == .notSet ? nil : level
        return Answer(0)
    }

    mutating func noteSeen(
        _ user: UserID, on device: String, at timeMs: Int64, _ isOffline: Bool
    ) -> Answer {
        let pauseMs: Int64 = isOffline ? 60_000 : 3_600_000
        if timeMs >= (view.lastSeen[user] ?? 0) + pauseMs { view.lastSeen[user] = timeMs }
        // The few devices of a history never reach the limit of a user.
        let known = view.seenDevices[user]?[device]
        if known.map({ timeMs >= $0 + pauseMs }) ?? true {
            view.seenDevices[user, default: [:]][device] = timeMs
        }
        return Answer(0)
    }

    /// Whether `viewer` sees the profile of `owner` as a whole, and so its friend list.
    package func shows(_ owner: UserID, to viewer: UserID) -> Bool {
        guard owner != viewer else { return true }
        guard !view.blacklist.contains(Pair(owner, viewer)) else { return false }
        return lets(viewer, see: owner, view.profileLevels[owner] ?? defaultVisibility)
    }

    /// Whether `viewer` learns nothing of the presence of `owner`, and so not when it was seen.
    package func hidesPresence(_ owner: UserID, from viewer: UserID) -> Bool {
        if view.blacklist.contains(Pair(owner, viewer)) { return true }
        guard owner != viewer, view.rows[Pair(viewer, owner)] == nil,
            let level = view.profileLevels[owner]
        else { return false }
        return !lets(viewer, see: owner, level)
    }

    private func lets(_ viewer: UserID, see owner: UserID, _ level: Visibility) -> Bool {
        switch level {
        case .everyone: true
        case .friends: view.rows[Pair(owner, viewer)] != nil
        case .followers: view.follows.contains(Pair(viewer, owner))
        default: false
        }
    }

    // MARK: Messages

    /// Whether a message server may deliver, and what the receiver has said of the sender.
    package struct Sending: Equatable, CustomStringConvertible {
        package var code: Int32
        package var isMuted = false
        package var isIgnored = false

        package var description: String {
            "\(code)\(isMuted ? " muted" : "")\(isIgnored ? " ignored" : "")"
        }
    }

    package func sending(
        from sender: UserID, to receiver: UserID, at now: Timestamp
    ) -> Sending {
        if isSuspended(sender, now.milliseconds) { return Sending(code: 20012) }
        guard accounts.contains(receiver) else { return Sending(code: 30003) }
        if view.blacklist.contains(Pair(receiver, sender)) { return Sending(code: 20007) }
        let row = view.rows[Pair(receiver, sender)]
        if checksFriendshipOnSend, sender != receiver {
            switch (view.rows[Pair(sender, receiver)] != nil, row != nil) {
            case (false, false): return Sending(code: 20009)
            case (true, false): return Sending(code: 20010)
            case (false, true): return Sending(code: 20011)
            case (true, true): break
            }
        }
        let marks = row?.marks ?? RowMarks()
        return Sending(
            code: 0, isMuted: marks.muteUntilMs > now.milliseconds, isIgnored: marks.ignored)
    }

    // MARK: Suggestions

    /// A user that is suggested, with the common friends whose lists may be seen.
    package struct Suggested: Equatable, CustomStringConvertible {
        package let user: UserID
        package let common: [UserID]

        package var description: String { "\(user) by \(common)" }
    }

    /// The users that are suggested to `owner` at `now`: those with the most common friends first.
    package func suggested(to owner: UserID, at now: Timestamp) -> [Suggested] {
        var common: [UserID: [UserID]] = [:]
        for friend in friends(of: owner) where shows(friend, to: owner) {
            for user in friends(of: friend) where user != owner {
                common[user, default: []].append(friend)
            }
        }
        let wanted = common.filter { isWanted($0.key, by: owner, now.milliseconds) }
        return wanted.map { Suggested(user: $0.key, common: $0.value) }.sorted { one, other in
            one.common.count != other.common.count
                ? one.common.count > other.common.count : one.user < other.user
        }
    }

    private func friends(of user: UserID) -> [UserID] {
        view.rows.keys.filter { $0.from == user }.map(\.to).sorted()
    }

    private func isWanted(_ user: UserID, by owner: UserID, _ nowMs: Int64) -> Bool {
        let (mine, theirs) = (Pair(owner, user), Pair(user, owner))
        guard accounts.contains(user), !isSuspended(user, nowMs), view.rows[mine] == nil,
            !view.dismissals.contains(mine)
        else { return false }
        return [mine, theirs].allSatisfy { pair in
            !view.blacklist.contains(pair) && view.applications[pair] == nil
                && refusals[pair].map { nowMs - $0 >= Self.refusalMs } ?? true
        }
    }

    /// A user that was refused is not suggested for 30 days.
    private static let refusalMs: Int64 = 30 * 86_400_000
}
