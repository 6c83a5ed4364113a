import RelationModel
import Storage

/// Takes back what an entry of an app's history says: the rows of friends, of blacklists and of
/// follows, the groups and the fields of profiles become what they were.
///
/// Applications stay as they are, because their users may have answered by other means since.
package enum HistoryUndo {
    /// A row of one table: as it is now, was before the call and after it.
    fileprivate struct Row<Record: Equatable> {
        let owner: UserID
        let other: UserID
        let before: Record?
        let after: Record?
        var now: Record?

        /// Whether taking back creates the row again.
        var comesBack: Bool { before != nil && after == nil }
        /// Whether taking back removes the row.
        var goes: Bool { before == nil && after != nil }
    }

    /// The rows of an entry that can be taken back.
    fileprivate struct Plan {
        var friends: [Row<FriendRecord>] = []
        var blacklists: [Row<BlacklistRecord>] = []
        var follows: [Row<FollowRecord>] = []
        var groups: [UndoneGroup] = []
        var profiles: [UndoneProfile] = []

        var isEmpty: Bool {
            friends.isEmpty && blacklists.isEmpty && follows.isEmpty && groups.isEmpty
                && profiles.isEmpty
        }
        /// Whether all rows are as they were before the call.
        var isDone: Bool {
            friends.allSatisfy { $0.now == $0.before }
                && blacklists.allSatisfy { $0.now == $0.before }
                && follows.allSatisfy { $0.now == $0.before }
                && groups.allSatisfy { $0.step == .nothing } && profiles.allSatisfy(\.isDone)
        }
        /// Whether all rows are as the call left them.
        var isUndisturbed: Bool {
            friends.allSatisfy { $0.now == $0.after }
                && blacklists.allSatisfy { $0.now == $0.after }
                && follows.allSatisfy { $0.now == $0.after }
                && groups.allSatisfy { $0.step != .conflict }
                && profiles.allSatisfy(\.isUndisturbed)
        }
    }

    /// Takes the entry at `position` back.
    ///
    /// - Returns: The first of these that applies:
    ///   - ``FriendStatus/invalidParameter`` if there is no such entry, or one of its users
    ///     is no longer an account;
    ///   - the same if it changed nothing but applications;
    ///   - ``FriendStatus/success`` without a change if all rows are as they were before;
    ///   - ``FriendStatus/invalidParameter`` if a row is not as the entry left it;
    ///   - the same if a friendship and a blacklist would stand beside each other, in an app that
    ///     does not allow it;
    ///   - ``FriendStatus/selfFriendFull``, ``FriendStatus/groupLimit``,
    ///     ``FriendStatus/blacklistFull`` or, for a limit of follows,
    ///     ``FriendStatus/invalidParameter`` if a list of an owner has no room;
    ///   - ``FriendStatus/success``.
    /// - Throws: ``StorageError`` if the store failed; nothing has then been written.
    package static func undo(
        _ position: UInt64, in ledger: Ledger
    ) throws(StorageError) -> FriendOutcome {
        let known = try HistoryLog.record(
            at: position, of: ledger.app, in: ledger.transaction)
        guard let entry = known else { return refusal(Reason.ChangeUndo.notExist) }
        var plan = Plan(try entry.rows(in: ledger.transaction))
        try fetch(plan, entry.users, in: ledger)
        for user in entry.users where try ledger.userRecord(of: user) == nil {
            return refusal(Reason.ChangeUndo.notExist)
        }
        guard !plan.isEmpty else { return refusal(Reason.ChangeUndo.onlyApplications) }
        try plan.load(in: ledger)
        if plan.isDone { return .unchanged }
        guard plan.isUndisturbed else { return refusal(Reason.ChangeUndo.changedSince) }
        if let refusal = try refusal(of: plan, entry.users, in: ledger) {
            return refusal
        }
        if ledger.undoneUsers.insert(entry.users) { ledger.endEvents() }
        try carryOut(plan, in: ledger)
        return .success
    }

    private static func refusal(_ reason: Reason) -> FriendOutcome {
        Outcome(.invalidParameter, reason)
    }

    /// The reason why the rows cannot come back; nil if they can.
    private static func refusal(
        of plan: Plan, _ users: [UserID], in ledger: Ledger
    ) throws(StorageError) -> FriendOutcome? {
        if users.count > 1, try !isAllowed(plan, users[0], users[1], in: ledger) {
            return refusal(Reason.ChangeUndo.blocked)
        }
        for row in plan.friends where row.comesBack {
            guard try !Friendship.isFull(row.owner, in: ledger) else {
                return Outcome(.selfFriendFull, Reason.ChangeUndo.friendsFull)
            }
        }
        for row in plan.friends where row.before != nil {
            guard try Groups.fit(row.before?.groups ?? [], of: row.owner, in: ledger) else {
                return Outcome(.groupLimit, Reason.ChangeUndo.groupLimit)
            }
        }
        for group in plan.groups {
            guard case .make(let name) = group.step else { continue }
            guard try Groups.fit([name], of: group.owner, in: ledger) else {
                return Outcome(.groupLimit, Reason.ChangeUndo.groupLimit)
            }
        }
        for row in plan.blacklists where row.comesBack {
            let count = try ledger.userRecord(of: row.owner)?.blacklistCount ?? 0
            guard Int(count) < ledger.limits.blacklistedUsers else {
                return Outcome(.blacklistFull, Reason.ChangeUndo.blacklistFull)
            }
        }
        return try followRefusal(of: plan, in: ledger)
    }

    /// The reason why the follows cannot come back; nil if they can.
    ///
    /// Of two that come back at once, each is asked as if the other one were there.
    private static func followRefusal(
        of plan: Plan, in ledger: Ledger
    ) throws(StorageError) -> FriendOutcome? {
        let coming = plan.follows.filter(\.comesBack)
        for row in coming {
            let limit = try FollowRules.refusal(
                row.owner, row.other, isReturned: coming.count > 1, in: ledger)
            if let limit { return refusal(limit.undone) }
        }
        return nil
    }

    /// Whether no friendship and no follow comes beside a blacklist, or the other way round; some
    /// apps keep friendships.
    private static func isAllowed(
        _ plan: Plan, _ one: UserID, _ other: UserID, in ledger: Ledger
    ) throws(StorageError) -> Bool {
        let isFollow = plan.follows.contains(where: \.comesBack)
        let keeps = ledger.settings.keepsFriendshipOnBlacklist
        guard
            isFollow
                || !keeps
                    && (plan.friends.contains(where: \.comesBack)
                        || plan.blacklists.contains(where: \.comesBack))
        else { return true }
        var (isFriendship, isBlacklist) = (false, false)
        for (owner, user) in [(one, other), (other, one)] {
            if let row = plan.friends.first(where: { $0.owner == owner }) {
                isFriendship = isFriendship || row.before != nil
            } else if try Friendship.contains(
                user, of: owner, app: ledger.app, in: ledger.transaction)
            {
                isFriendship = true
            }
            if let row = plan.blacklists.first(where: { $0.owner == owner }) {
                isBlacklist = isBlacklist || row.before != nil
            } else if try Blacklist.contains(user, of: owner, in: ledger) {
                isBlacklist = true
            }
        }
        return !isBlacklist || !isFollow && (keeps || !isFriendship)
    }

    private static func carryOut(_ plan: Plan, in ledger: Ledger) throws(StorageError) {
        for row in plan.blacklists where row.goes {
            _ = try Blacklist.drop(row.other, from: row.owner, in: ledger)
        }
        for row in plan.follows where row.goes {
            try Follows.end(from: row.owner, to: row.other, in: ledger)
        }
        for group in plan.groups { try group.carryOut(in: ledger) }
        for profile in plan.profiles { try profile.carryOut(in: ledger) }
        let going = plan.friends.filter(\.goes)
        for row in going {
            try Friendship.remove(
                row.other, of: row.owner, isOfBoth: going.count == 2, in: ledger)
        }
        let coming = plan.friends.filter(\.comesBack)
        for row in plan.friends {
            guard let before = row.before else { continue }
            if row.now != nil {
                try Friendship.revert(to: before, row.other, of: row.owner, in: ledger)
            } else {
                try Friendship.bringBack(
                    before, row.other, of: row.owner, isOfBoth: coming.count == 2, in: ledger)
            }
        }
        for row in coming {
            try Applications.endAnswered(byRowOf: row.owner, for: row.other, in: ledger)
        }
        for row in plan.follows {
            guard row.comesBack, let before = row.before else { continue }
            try Follows.insert(before, from: row.owner, to: row.other, in: ledger)
        }
        for row in plan.blacklists {
            guard row.comesBack, let before = row.before else { continue }
            try Blacklist.bringBack(before, row.other, of: row.owner, in: ledger)
        }
    }

    // MARK: Keys

    /// Adds the rows that lead to those that taking back `positions` reads.
    package static func keys(
        of positions: [UInt64], app: App, into keys: inout KeyList
    ) {
        Feed.addState(of: app, to: &keys)
        Reviews.keysForUpdating(app, into: &keys)
        for position in positions { Tables.history.add(app.historyPartition, position, to: &keys) }
    }

    /// Fetches the rows that an entry about one or two users leads to.
    private static func fetch(
        _ plan: Plan, _ users: [UserID], in ledger: Ledger
    ) throws(StorageError) {
        let app = ledger.app
        var keys = KeyList()
        for profile in plan.profiles { profile.addKeys(of: app, to: &keys) }
        for group in plan.groups { group.addKeys(of: app, to: &keys) }
        guard users.count > 1 else {
            Tables.userRecords.add(app.partition(of: users[0]), OnlyKey(), to: &keys)
            return try ledger.fetch(keys)
        }
        let (one, other) = (users[0], users[1])
        Friendship.keys(between: one, other, app: app, into: &keys)
        Applications.keys(between: one, other, app: app, into: &keys)
        Follows.keysForEnding(between: one, other, app: app, into: &keys)
        for (owner, user) in [(one, other), (other, one)] {
            Tables.userRecords.add(app.partition(of: owner), OnlyKey(), to: &keys)
            Tables.blacklist.add(app.partition(of: owner), user, to: &keys)
            Tables.tombstones.add(app.partition(of: owner), user, to: &keys)
        }
        for row in plan.friends {
            for group in row.before?.groups ?? [] {
                Tables.groups.add(app.partition(of: row.owner), GroupName(group), to: &keys)
            }
        }
        try ledger.fetch(keys)
    }
}

extension HistoryUndo.Plan {
    fileprivate init(_ rows: [HistoryRow]) {
        for row in rows {
            let other = row.other ?? row.owner
            switch row.content {
            case .friend(let before, let after):
                friends.append(
                    HistoryUndo.Row(
                        owner: row.owner, other: other, before: before?.unnumbered,
                        after: after?.unnumbered))
            case .blacklist(let before, let after):
                blacklists.append(
                    HistoryUndo.Row(owner: row.owner, other: other, before: before, after: after))
            case .follow(let before, let after):
                follows.append(
                    HistoryUndo.Row(owner: row.owner, other: other, before: before, after: after))
            case .group(let before, let after):
                groups.append(UndoneGroup(owner: row.owner, before: before, after: after))
            case .profile(let difference):
                profiles.append(UndoneProfile(owner: row.owner, difference: difference))
            case .application: break
            }
        }
    }

    /// Notes the rows as they are now.
    fileprivate mutating func load(in ledger: Ledger) throws(StorageError) {
        for index in friends.indices {
            let row = friends[index]
            friends[index].now = try Friendship.record(
                row.other, of: row.owner, app: ledger.app, in: ledger.transaction)?.unnumbered
        }
        for index in blacklists.indices {
            let row = blacklists[index]
            blacklists[index].now = try Tables.blacklist.record(
                ledger.partition(of: row.owner), row.other, in: ledger.transaction)
        }
        for index in follows.indices {
            follows[index].now = try Follows.record(
                from: follows[index].owner, to: follows[index].other, in: ledger)
        }
        for index in groups.indices { try groups[index].load(in: ledger) }
        for index in profiles.indices { try profiles[index].load(in: ledger) }
    }
}

extension FollowOutcome {
    /// The reason of a limit, as a call has it that takes changes back.
    fileprivate var undone: Reason {
        switch code {
        case .followingFull: Reason.ChangeUndo.followingFull
        case .followersFull: Reason.ChangeUndo.followersFull
        default: Reason.ChangeUndo.mutualFollowsFull
        }
    }
}

extension FriendRecord {
    /// The row without its sequence, which each write of it changes.
    fileprivate var unnumbered: FriendRecord {
        var row = self
        row.sequence = 0
        return row
    }
}
