import RelationModel
import Storage

extension IntegrityCheck {
    mutating func checkFriends(
        _ friends: [(key: UserID, record: FriendRecord)]
    ) throws(StorageError) {
        checkCount("friend_count", \.friendCount, friends.count)
        let graves = try rows(of: Tables.tombstones)
        try checkIndex(
            Tables.tombstonesBySequence, "friend_tombstones_by_sequence",
            graves.map { SequencedUser(sequence: $0.record.sequence, user: $0.key) })
        checkCount("friend_tombstone_count", \.tombstoneCount, graves.count)
    }

    mutating func checkGroups(
        _ friends: [(key: UserID, record: FriendRecord)]
    ) throws(StorageError) {
        let (user, partition) = (user, partition)
        let groups = try rows(of: Tables.groups)
        checkCount("group_count", \.groupCount, groups.count)
        var numbers: [GroupName: UInt32] = [:]
        for group in groups { numbers[group.key] = group.record.number }
        var members: [GroupMember] = []
        var counts: [GroupName: Int] = [:]
        for friend in friends {
            for name in friend.record.groups.map(GroupName.init) {
                counts[name, default: 0] += 1
                guard let number = numbers[name] else { continue }
                members.append(GroupMember(group: number, user: friend.key))
            }
        }
        try checkIndex(Tables.groupMembers, "group_members", members)
        for group in groups where Int(group.record.memberCount) != counts[group.key] ?? 0 {
            var record = group.record
            record.memberCount = UInt32(counts[group.key] ?? 0)
            note(.wrongCounter, "group_member_count") { [record] (ledger) throws(StorageError) in
                try Tables.groups.set(
                    record, at: partition, group.key, in: ledger.transaction)
            }
        }
        for name in counts.keys.sorted(by: { $0.text < $1.text }) where numbers[name] == nil {
            let owned = friends.filter { $0.record.groups.contains(exactly: name.text) }
            note(.rowWithoutIndex, "groups") { (ledger) throws(StorageError) in
                try Groups.create(name.text, of: user, in: ledger)
                for friend in owned {
                    try Groups.change(name.text, of: user, in: ledger) {
                        (group, partition) throws(StorageError) in
                        group.memberCount += 1
                        try Tables.groupMembers.set(
                            EmptyRecord(), at: partition,
                            GroupMember(group: group.number, user: friend.key),
                            in: ledger.transaction)
                    }
                }
            }
        }
    }

    mutating func checkPendencies(
        _ rows: [(key: PendencyKey, record: PendencyRecord)]
    ) throws(StorageError) {
        try checkIndex(
            Tables.pendenciesByTime, "pendencies_by_time",
            rows.map { TimedPendency(timeMs: $0.record.timeMs, key: $0.key) })
        let comeIn = rows.filter { $0.key.type == .comeIn }
        let unread = comeIn.count { $0.record.timeMs > userRecord.readMarkMs }
        checkCount("come_in_count", \.comeInCount, comeIn.count)
        checkCount("send_out_count", \.sendOutCount, rows.count - comeIn.count)
        checkCount("unread_count", \.unreadCount, unread)
        checkCount(
            "handled_count", \.handledCount, try self.rows(of: Tables.handledApplications).count)
    }

    mutating func checkBlacklist(
        _ rows: [(key: UserID, record: BlacklistRecord)]
    ) throws(StorageError) {
        try checkIndex(
            Tables.blacklistByTime, "blacklist_by_time",
            rows.map { TimedUser(timeMs: $0.record.addTimeMs, user: $0.key) })
        checkCount("blacklist_count", \.blacklistCount, rows.count)
    }

    mutating func checkAnswers() throws(StorageError) {
        let answers = try rows(of: Tables.answers)
        try checkIndex(
            Tables.answersByTime, "answers_by_time",
            answers.map { TimedRequest(timeMs: $0.record.timeMs, id: $0.key) })
        checkCount("answer_count", \.answerCount, answers.count)
    }

    /// Checks that the log has every sequence above its floor, and none above the user record's.
    mutating func checkLog() throws(StorageError) {
        let events = try rows(of: Tables.changePositions).map {
            (sequence: Int64($0.key), position: $0.record.feedPosition)
        }
        let sequences = events.map(\.sequence)
        let (user, partition) = (user, partition)
        let last = max(userRecord.sequence, sequences.last ?? 0)
        if last > userRecord.sequence {
            note(.wrongCounter, "sequence") { (ledger) throws(StorageError) in
                try ledger.changeUserRecord(of: user) { $0.sequence = max($0.sequence, last) }
            }
        }
        // Going back from the last event, the first missing one ends the part that is whole.
        var floor = last
        var kept = sequences.filter { $0 > userRecord.logFloor }
        while let sequence = kept.last, sequence == floor {
            floor -= 1
            kept.removeLast()
        }
        guard floor > userRecord.logFloor else { return try checkFeed(events) }
        note(.logGap, "log") { [kept, floor] (ledger) throws(StorageError) in
            for sequence in kept {
                Tables.changes.remove(partition, UInt64(sequence), in: ledger.transaction)
            }
            // The missing changes of the lists are not known, so all lists count as changed.
            let position = try ledger.feedState().position
            try ledger.changeUserRecord(of: user) { userRecord in
                userRecord.logFloor = floor
                userRecord.logFloorPosition = position
                userRecord.friendsSequence = max(userRecord.friendsSequence, floor)
                userRecord.pendenciesSequence = max(userRecord.pendenciesSequence, floor)
                userRecord.blacklistSequence = max(userRecord.blacklistSequence, floor)
                userRecord.groupsSequence = max(userRecord.groupsSequence, floor)
                userRecord.subscriptionsSequence = max(userRecord.subscriptionsSequence, floor)
                userRecord.consentsSequence = max(userRecord.consentsSequence, floor)
                userRecord.followingSequence = max(userRecord.followingSequence, floor)
                userRecord.followersSequence = max(userRecord.followersSequence, floor)
                userRecord.invitationsSequence = max(userRecord.invitationsSequence, floor)
                userRecord.dismissalsSequence = max(userRecord.dismissalsSequence, floor)
                userRecord.reverseFriendsSequence = max(userRecord.reverseFriendsSequence, floor)
            }
        }
    }

    // MARK: What names others

    mutating func checkBackReferences(
        _ friends: [(key: UserID, record: FriendRecord)],
        _ blacklist: [(key: UserID, record: BlacklistRecord)],
        _ pendencies: [(key: PendencyKey, record: PendencyRecord)]
    ) throws(StorageError) {
        let user = user
        for (friend, record) in friends {
            if try isUnknown(friend) {
                note(.halfPair, "friends", friend) { (ledger) throws(StorageError) in
                    _ = try Friendship.remove(friend, of: user, in: ledger)
                }
                continue
            }
            if record.isMuting { try checkBackReference(.muting, of: user, at: friend) }
            let isMutual = try Friendship.contains(user, of: friend, app: app, in: transaction)
            guard !isMutual else { continue }
            try checkBackReference(.friends, of: user, at: friend)
            try checkBackReference(.unreturned, of: friend, at: user)
        }
        for blocked in blacklist.map(\.key) {
            try checkBackReference(.blacklist, of: user, at: blocked)
        }
        for row in pendencies { try checkOtherSide(of: row.key) }
        var hidden = 0
        // Each of these is an application of the user. ``MentionsCheck`` looks at other mentions.
        for owner in try BackReferences.owners(on: .comeIn, of: partition, in: transaction) {
            let mention = Mention(.comeIn, owner)
            if try mention.isTrue(of: user, app, in: transaction) {
                hidden += 1
            } else {
                noteStray(in: Tables.mentions, "mentions", mention, owner)
            }
        }
        checkCount("hidden_sent_count", \.hiddenSentCount, hidden)
    }

    /// Checks that the other side knows of the application: it has its record, or has hidden it.
    private mutating func checkOtherSide(of key: PendencyKey) throws(StorageError) {
        let (user, other) = (user, key.user)
        let isComeIn = key.type == .comeIn
        let has = try Tables.pendencies.contains(
            app.partition(of: other), PendencyKey(isComeIn ? .sendOut : .comeIn, user),
            in: transaction)
        let hid = try Tables.mentions.contains(
            app.partition(of: other), Mention(isComeIn ? .comeIn : .sendOut, user),
            in: transaction)
        guard !has, !hid else { return }
        note(.halfPair, "pendencies", other) { (ledger) throws(StorageError) in
            if isComeIn {
                try Applications.end(from: other, to: user, .withdrawn, in: ledger)
            } else {
                try Applications.end(from: user, to: other, .refused, in: ledger)
            }
        }
    }

    /// Checks that the rows of `user` mention `owner`, as they must.
    private mutating func checkBackReference(
        _ list: Mention.List, of owner: UserID, at user: UserID
    ) throws(StorageError) {
        let partition = app.partition(of: user)
        let mention = Mention(list, owner)
        guard try !Tables.mentions.contains(partition, mention, in: transaction) else { return }
        noteMissing(in: Tables.mentions, "mentions", mention, at: partition, user)
    }

    /// Whether there is neither an account of that id nor one that is being deleted.
    func isUnknown(_ other: UserID) throws(StorageError) -> Bool {
        if try Accounts.exists(other, of: app, in: transaction) { return false }
        let departed = try Tables.departed.record(
            app.partition(of: other), OnlyKey(), in: transaction)
        return departed?.deletion ?? 0 == 0
    }
}
