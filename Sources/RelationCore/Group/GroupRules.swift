package import RelationModel
import Storage

/// Rules over friend groups.
///
/// The changes that a call makes to a group are one event of its owner. The members' rows change
/// with the group and get that event's sequence. No event of their own repeats a change that
/// follows from the group's.
package enum GroupRules {
    /// Makes the group `name` with those of `members` that are `owner`'s friends.
    ///
    /// - Parameter members: Each user at most once.
    /// - Returns: ``FriendStatus/success``, or the first of these that applies:
    ///   ``FriendStatus/invalidParameter`` if the group exists, ``FriendStatus/sensitiveText``,
    ///   ``FriendStatus/groupLimit``. If the group was made, its parts are the members' answers:
    ///   ``FriendStatus/success`` or, for a member that is left out,
    ///   ``FriendStatus/accountNotFound`` or ``FriendStatus/groupAddNotFriend``.
    /// - Throws: ``StorageError`` if the store failed; nothing has then been written.
    package static func create(
        _ name: String, with members: [UserID], of owner: UserID, in ledger: Ledger
    ) throws(StorageError) -> FriendOutcome {
        let known = try Groups.record(name, of: owner, app: ledger.app, in: ledger.transaction)
        guard known == nil else {
            return Outcome(.invalidParameter, Reason.GroupAdd.groupExist)
        }
        guard !ledger.settings.forbids(name) else {
            return Outcome(.sensitiveText, Reason.GroupAdd.sensitiveText)
        }
        guard try Groups.fit([name], of: owner, in: ledger) else {
            return Outcome(.groupLimit, Reason.GroupAdd.groupLimit)
        }

        try Groups.create(name, of: owner, in: ledger)
        let rows = try rows(of: members, of: owner, in: ledger)
        var outcome = FriendOutcome.success
        try Groups.change(name, of: owner, in: ledger) { (group, _) throws(StorageError) in
            for (member, row) in zip(members, rows) {
                if let row {
                    try enter(name, &group, row, member, of: owner, .groupCreated, in: ledger)
                    outcome.parts.append(.success)
                } else if try !Accounts.ensureExists(member, in: ledger) {
                    outcome.parts.append(
                        Outcome(.accountNotFound, Reason.GroupAdd.accountNotExist))
                } else {
                    outcome.parts.append(Outcome(.groupAddNotFriend, Reason.GroupAdd.notFriend))
                }
            }
        }
        return outcome
    }

    /// Deletes the group `name`; its members stay friends.
    ///
    /// - Returns: ``FriendStatus/success``, or ``FriendStatus/invalidParameter`` if there
    ///   is not such a group.
    /// - Throws: ``StorageError`` if the store failed; nothing has then been written.
    package static func delete(
        _ name: String, of owner: UserID, in ledger: Ledger
    ) throws(StorageError) -> FriendOutcome {
        let known = try Groups.record(name, of: owner, app: ledger.app, in: ledger.transaction)
        guard let group = known else { return noGroup }
        let partition = ledger.partition(of: owner)
        try rewriteMembers(of: group, of: owner, .groupDeleted, in: ledger) { member, row in
            row.groups.removeAll { $0.isExactly(name) }
            Tables.groupMembers.remove(
                partition, GroupMember(group: group.number, user: member), in: ledger.transaction)
        }
        Tables.groups.remove(partition, GroupName(name), in: ledger.transaction)
        try ledger.changeUserRecord(of: owner) { $0.groupCount.decrease() }
        try ledger.notify(owner, .groupDeleted, ofGroup: name) {
            $0.group = ChangedGroup(name, group)
        }
        return .success
    }

    /// Puts `user` into the group `name`.
    ///
    /// - Returns: ``FriendStatus/success``, or the first of these that applies:
    ///   ``FriendStatus/invalidParameter`` if there is no such group,
    ///   ``FriendStatus/accountNotFound``, ``FriendStatus/groupUpdateNotFriend``,
    ///   ``FriendStatus/alreadyInGroup``.
    /// - Throws: ``StorageError`` if the store failed; nothing has then been written.
    package static func add(
        _ user: UserID, to name: String, of owner: UserID, in ledger: Ledger
    ) throws(StorageError) -> FriendOutcome {
        let app = ledger.app
        guard try Groups.record(name, of: owner, app: app, in: ledger.transaction) != nil else {
            return noGroup
        }
        let known = try Friendship.record(user, of: owner, app: app, in: ledger.transaction)
        guard let row = known else {
            return try !ensureExists(user, in: ledger)
                ? Outcome(.accountNotFound, Reason.GroupUpdate.accountNotExist)
                : Outcome(.groupUpdateNotFriend, Reason.GroupUpdate.notFriend)
        }
        guard !row.groups.contains(exactly: name) else {
            return Outcome(.alreadyInGroup, Reason.GroupUpdate.alreadyInGroup)
        }
        try Groups.change(name, of: owner, in: ledger) { (group, _) throws(StorageError) in
            try enter(name, &group, row, user, of: owner, .groupMembersChanged, in: ledger)
        }
        return .success
    }

    /// Takes `user` out of the group `name`; it stays a friend.
    ///
    /// - Returns: ``FriendStatus/success``, or the first of these that applies:
    ///   ``FriendStatus/invalidParameter`` if there is no such group,
    ///   ``FriendStatus/accountNotFound``, ``FriendStatus/notInGroup``.
    /// - Throws: ``StorageError`` if the store failed; nothing has then been written.
    package static func remove(
        _ user: UserID, from name: String, of owner: UserID, in ledger: Ledger
    ) throws(StorageError) -> FriendOutcome {
        let app = ledger.app
        guard try Groups.record(name, of: owner, app: app, in: ledger.transaction) != nil else {
            return noGroup
        }
        let known = try Friendship.record(user, of: owner, app: app, in: ledger.transaction)
        guard var row = known, row.groups.contains(exactly: name) else {
            if known == nil, try !ensureExists(user, in: ledger) {
                return Outcome(.accountNotFound, Reason.GroupUpdate.accountNotExist)
            }
            return Outcome(.notInGroup, Reason.GroupUpdate.notInGroup)
        }
        row.groups.removeAll { $0.isExactly(name) }
        try Groups.change(name, of: owner, in: ledger) { group, partition in
            group.memberCount.decrease()
            Tables.groupMembers.remove(
                partition, GroupMember(group: group.number, user: user), in: ledger.transaction)
        }
        try Friendship.write(row, user, of: owner, reporting: .groupMembersChanged, in: ledger)
        try ledger.notify(owner, .groupMembersChanged, ofGroup: name, moving: user) {
            $0.removedUserIDs.append(user.text)
        }
        return .success
    }

    /// Gives the group `name` the name `newName`; its position among the groups does not change.
    ///
    /// - Returns: ``FriendStatus/success``, or the first of these that applies:
    ///   ``FriendStatus/invalidParameter`` if there is no such group,
    ///   ``FriendStatus/invalidParameter`` if a group has the new name, be it this group itself,
    ///   ``FriendStatus/sensitiveText``.
    /// - Throws: ``StorageError`` if the store failed; nothing has then been written.
    package static func rename(
        _ name: String, to newName: String, of owner: UserID, in ledger: Ledger
    ) throws(StorageError) -> FriendOutcome {
        let app = ledger.app
        let known = try Groups.record(name, of: owner, app: app, in: ledger.transaction)
        guard let group = known else { return noGroup }
        guard try Groups.record(newName, of: owner, app: app, in: ledger.transaction) == nil else {
            return Outcome(.invalidParameter, Reason.GroupUpdate.groupExist)
        }
        guard !ledger.settings.forbids(newName) else {
            return Outcome(.sensitiveText, Reason.GroupUpdate.sensitiveText)
        }
        try move(group, named: name, to: newName, of: owner, in: ledger)
        return .success
    }

    /// Gives the group `name` a name that it had before; its words are not judged again.
    ///
    /// - Precondition: `owner` has the group, and none of the name `former`.
    /// - Throws: ``StorageError`` if the store failed; nothing has then been written.
    static func revertName(
        _ name: String, to former: String, of owner: UserID, in ledger: Ledger
    ) throws(StorageError) {
        let known = try Groups.record(name, of: owner, app: ledger.app, in: ledger.transaction)
        guard let group = known else { return }
        try move(group, named: name, to: former, of: owner, in: ledger)
    }

    private static func move(
        _ group: GroupRecord, named name: String, to newName: String, of owner: UserID,
        in ledger: Ledger
    ) throws(StorageError) {
        let partition = ledger.partition(of: owner)
        Tables.groups.remove(partition, GroupName(name), in: ledger.transaction)
        try Tables.groups.set(group, at: partition, GroupName(newName), in: ledger.transaction)
        try rewriteMembers(of: group, of: owner, .groupRenamed, in: ledger) { _, row in
            row.groups = row.groups.map { $0.isExactly(name) ? newName : $0 }
        }
        try ledger.notify(owner, .groupRenamed, ofGroup: newName) { $0.oldGroupName = name }
    }

    // MARK: Members' rows

    /// The rows of `members` among `owner`'s friends; nil for a user that is not a friend.
    ///
    /// The rows that say whether such a user is an account are fetched too.
    private static func rows(
        of members: [UserID], of owner: UserID, in ledger: Ledger
    ) throws(StorageError) -> [FriendRecord?] {
        let partition = ledger.partition(of: owner)
        var keys = KeyList()
        for member in members { Tables.friends.add(partition, member, to: &keys) }
        let rows = try Tables.friends.records(keys, in: ledger.transaction)
        var others = KeyList()
        for (member, row) in zip(members, rows) where row == nil {
            Accounts.keysForNaming(member, app: ledger.app, into: &others)
        }
        try ledger.fetch(others)
        return rows
    }

    /// Whether `user`, which is not a friend, is an account.
    private static func ensureExists(
        _ user: UserID, in ledger: Ledger
    ) throws(StorageError) -> Bool {
        var keys = KeyList()
        Accounts.keysForNaming(user, app: ledger.app, into: &keys)
        try ledger.fetch(keys)
        return try Accounts.ensureExists(user, in: ledger)
    }

    private static let noGroup = FriendOutcome(.invalidParameter, Reason.GroupUpdate.groupNotExist)

    /// Puts the friend of `row` into the group too, and notifies the owner by an event of `kind`.
    private static func enter(
        _ name: String, _ group: inout GroupRecord, _ row: FriendRecord, _ friend: UserID,
        of owner: UserID, _ kind: ChangeKind, in ledger: Ledger
    ) throws(StorageError) {
        var row = row
        row.groups.append(name)
        group.memberCount += 1
        try Tables.groupMembers.set(
            EmptyRecord(), at: ledger.partition(of: owner),
            GroupMember(group: group.number, user: friend), in: ledger.transaction)
        try Friendship.write(row, friend, of: owner, reporting: kind, in: ledger)
        try ledger.notify(owner, kind, ofGroup: name, moving: friend) {
            $0.addedUserIDs.append(friend.text)
        }
    }

    /// Changes the rows of all members of a group.
    private static func rewriteMembers(
        of group: GroupRecord, of owner: UserID, _ kind: ChangeKind, in ledger: Ledger,
        _ change: (UserID, inout FriendRecord) -> Void
    ) throws(StorageError) {
        var members: [UserID] = []
        try Groups.scanMembers(
            of: group.number, of: owner, app: ledger.app, in: ledger.transaction
        ) { member in
            members.append(member)
            return .more
        }
        var keys = KeyList()
        let partition = ledger.partition(of: owner)
        for member in members { Tables.friends.add(partition, member, to: &keys) }
        try ledger.fetch(keys)
        let rows = try Tables.friends.records(keys, in: ledger.transaction)
        for (member, row) in zip(members, rows) {
            guard var row else {
                throw StorageError(.corrupted, "a group has a member that is not a friend")
            }
            change(member, &row)
            try Friendship.write(row, member, of: owner, reporting: kind, in: ledger)
        }
    }
}

extension GroupRules {
    /// Adds the rows that a change of the groups `names` reads, and of `members` of them.
    package static func keys(
        of names: [String], with members: [UserID], of owner: UserID, app: App,
        into keys: inout KeyList
    ) {
        let partition = app.partition(of: owner)
        Feed.addState(of: app, to: &keys)
        for name in names { Tables.groups.add(partition, GroupName(name), to: &keys) }
        for member in members { Tables.friends.add(partition, member, to: &keys) }
    }
}
