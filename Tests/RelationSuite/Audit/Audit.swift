package import RelationCore
package import RelationModel
import Storage

/// A check of everything that an app's users have stored: of each rule that the rows keep among
/// themselves, whatever led to them.
///
/// An audit counts and compares. It uses no rule of the service, only its tables.
package struct Audit {
    /// The errors in words; empty if there are none.
    package internal(set) var findings: [String] = []
    let world: World
    let users: [UserID]
    let limits: AppLimits

    /// - Parameters:
    ///   - sharp: Whether to check also that no user has a friend whom it has blacklisted. An
    ///     import and an app that keeps friendships allow that.
    ///   - limits: The highest limits that the app ever had; nil for its present ones.
    package init(
        _ world: World, _ users: [UserID], sharp: Bool = true, limits: AppLimits? = nil
    ) throws(StorageError) {
        self.world = world
        self.limits = limits ?? world.settings.limits
        self.users = users
        for user in users {
            guard let userRecord = try world.userRecord(of: user) else { continue }
            try checkFriends(user, userRecord)
            try checkGroups(user, userRecord)
            try checkPendencies(user, userRecord)
            try checkHistory(user, userRecord)
            try checkBlacklist(user, userRecord, sharp: sharp)
            try checkAnswers(user, userRecord)
            try checkLog(user, userRecord)
            try checkConsent(user)
            try checkSubscriptions(user, userRecord)
            try checkInvitations(user, userRecord)
            try checkStatus(user)
            try checkSeenDevices(user)
        }
        try checkFeed()
        try checkExpiries()
        try checkBackReferences()
        try checkSubscribers()
        try checkFollows()
        try checkDismissals()
        try checkInvitationIDs()
        try checkSuspensions()
        try checkSessions()
        try checkReports()
        try checkReviews()
        try checkHistoryOfApp()
        try checkUniqueIDs()
        try checkFoundNames()
        try checkContacts()
        try checkCounts()
    }

    mutating func expect(_ holds: Bool, _ user: UserID, _ claim: String) {
        if !holds { findings.append("\(user): \(claim)") }
    }

    mutating func note(_ finding: String) {
        findings.append(finding)
    }

    mutating func expectSame<Value: Equatable>(
        _ found: Value, _ wanted: Value, _ user: UserID, _ what: String
    ) {
        expect(found == wanted, user, "\(what): is \(found), should be \(wanted)")
    }

    // MARK: Lists

    private mutating func checkFriends(
        _ user: UserID, _ userRecord: UserRecord
    ) throws(StorageError) {
        let rows = try world.rows(of: Tables.friends, of: user)
        expectSame(Int(userRecord.friendCount), rows.count, user, "the count of friends")
        expect(rows.count <= limits.friends, user, "more friends than the limit")
        expectSame(
            rows.map(\.key.text), rows.map(\.record.userID), user, "the ids in friends' rows")
        expect(!rows.contains { $0.key == user }, user, "is a friend of itself")
        try checkVersions(user, userRecord, rows)
        for row in rows {
            expect(
                (1...max(1, userRecord.friendsSequence)).contains(row.record.sequence), user,
                "the row of \(row.key) has the sequence \(row.record.sequence)")
        }
    }

    /// Checks the versions of the friend list.
    ///
    /// Each tombstone is of a user that is not a friend, and none is missing above the sequence up
    /// to which the user record says they are trimmed.
    private mutating func checkVersions(
        _ user: UserID, _ userRecord: UserRecord, _ friends: [(key: UserID, record: FriendRecord)]
    ) throws(StorageError) {
        let graves = try world.rows(of: Tables.tombstones, of: user)
        let keys = graves.map { SequencedUser(sequence: $0.record.sequence, user: $0.key) }
        let byTime = try world.rows(of: Tables.tombstonesBySequence, of: user).map(\.key)
        expectSame(byTime, keys.sorted(), user, "the tombstones by sequence")
        expectSame(Int(userRecord.tombstoneCount), graves.count, user, "the count of tombstones")
        expect(
            Set(graves.map(\.key)).isDisjoint(with: friends.map(\.key)), user,
            "a friend has a tombstone")
        let trimmed = userRecord.friendsTrimmedTo
        for grave in graves {
            expect(
                grave.record.sequence >= trimmed
                    && grave.record.sequence <= max(trimmed, userRecord.friendsSequence), user,
                "the tombstone of \(grave.key) has the sequence \(grave.record.sequence)")
            expect(
                userRecord.oldestTombstoneMs <= grave.record.timeMs, user,
                "the tombstone of \(grave.key) is older than the oldest")
        }
    }

    private mutating func checkGroups(
        _ user: UserID, _ userRecord: UserRecord
    ) throws(StorageError) {
        let groups = try world.rows(of: Tables.groups, of: user)
        expectSame(Int(userRecord.groupCount), groups.count, user, "the count of groups")
        expect(groups.count <= limits.groups, user, "more groups than the limit")
        let numbers = groups.map(\.record.number)
        expectSame(Set(numbers).count, numbers.count, user, "different numbers of groups")
        expect(
            numbers.allSatisfy { $0 < userRecord.nextGroup }, user,
            "a group's number is still to come")
        var members: Set<String> = []
        var counts: [[UInt8]: Int] = [:]
        for row in try world.rows(of: Tables.friends, of: user) {
            for name in row.record.groups {
                let bytes = Array(name.utf8)
                counts[bytes, default: 0] += 1
                let group = groups.first { $0.key.text.utf8.elementsEqual(bytes) }
                expect(group != nil, user, "\(row.key) is in \(name), which is not a group")
                members.insert("\(group?.record.number ?? 0) \(row.key)")
            }
        }
        for group in groups {
            expectSame(
                Int(group.record.memberCount), counts[Array(group.key.text.utf8)] ?? 0, user,
                "the members of \(group.key.text)")
        }
        let index = try world.rows(of: Tables.groupMembers, of: user).map {
            "\($0.key.group) \($0.key.user)"
        }
        expectSame(Set(index), members, user, "the members by group")
    }

    private mutating func checkBlacklist(
        _ user: UserID, _ userRecord: UserRecord, sharp: Bool
    ) throws(StorageError) {
        let rows = try world.rows(of: Tables.blacklist, of: user)
        expectSame(Int(userRecord.blacklistCount), rows.count, user, "the count of the blacklist")
        expect(
            rows.count <= limits.blacklistedUsers, user, "a blacklist is too long")
        let index = try world.rows(of: Tables.blacklistByTime, of: user).map {
            "\($0.key.timeMs) \($0.key.user)"
        }
        let wanted = rows.map { "\($0.record.addTimeMs) \($0.key)" }
        expectSame(Set(index), Set(wanted), user, "the blacklist by time")
        for row in rows {
            for type in [PendencyType.comeIn, .sendOut] {
                let pendency = try world.pendency(type, with: row.key, of: user)
                expect(
                    pendency == nil, user, "has an application with \(row.key), whom it blocks")
            }
            guard sharp else { continue }
            let mine = try world.friend(row.key, of: user)
            let theirs = try world.friend(user, of: row.key)
            expect(mine == nil && theirs == nil, user, "blocks its friend \(row.key)")
        }
    }

    private mutating func checkAnswers(
        _ user: UserID, _ userRecord: UserRecord
    ) throws(StorageError) {
        let rows = try world.rows(of: Tables.answers, of: user)
        expectSame(Int(userRecord.answerCount), rows.count, user, "the count of answers")
        let index = try world.rows(of: Tables.answersByTime, of: user).map {
            "\($0.key.timeMs) \($0.key.id.text)"
        }
        let wanted = rows.map { "\($0.record.timeMs) \($0.key.text)" }
        expectSame(Set(index), Set(wanted), user, "the answers by time")
    }

    // MARK: The log and the feed

    private mutating func checkLog(_ user: UserID, _ userRecord: UserRecord) throws(StorageError) {
        // Events of the history before stay until they leave with the feed.
        let earlier = world.settings.history.floor
        let log = try world.log(of: user).filter {
            $0.sequence > earlier || userRecord.sequence <= earlier
        }
        expectSame(
            log.map(\.sequence), Array(userRecord.logFloor + 1..<userRecord.sequence + 1), user,
            "the sequences of the log")
        let times = log.map(\.1.timeMs)
        expectSame(times.sorted(), times, user, "the times of the log")
        let lists: [(String, Int64, Set<ChangeKind>)] = [
            (
                "pendencies", userRecord.pendenciesSequence,
                [.addFriendRequest, .deleteFriendRequest, .pendencyReport]
            ),
            ("blacklist", userRecord.blacklistSequence, [.addBlacklist, .deleteBlacklist]),
        ]
        for (name, sequence, kinds) in lists {
            let last = log.last { kinds.contains($0.1.kind) }?.sequence
            expectLast(last, sequence, userRecord, user, name)
        }
        let last = log.last { Self.changesFriends($0.1) }?.sequence
        expectLast(last, userRecord.friendsSequence, userRecord, user, "friends")
        checkGroupsSequence(user, userRecord, log)
        for (sequence, event) in log {
            expect(
                event.items.isEmpty == (event.kind == .listChanged), user,
                "event \(sequence) of kind \(event.kind.rawValue) has \(event.items.count) items")
        }
    }

    private static let friendKinds: Set<ChangeKind> = [
        .addFriend, .deleteFriend, .friendChange, .listChanged,
    ]
    private static let groupKinds: Set<ChangeKind> = [
        .groupCreated, .groupDeleted, .groupRenamed, .groupMembersChanged,
    ]

    /// Whether an event is about the friend list.
    ///
    /// An event about a group with members is too, since the members' rows name the group.
    private static func changesFriends(_ event: ChangeRecord) -> Bool {
        switch event.kind {
        case .groupCreated, .groupMembersChanged:
            event.items.contains { !$0.addedUserIDs.isEmpty || !$0.removedUserIDs.isEmpty }
        case .groupDeleted, .groupRenamed:
            event.items.contains { ($0.group?.memberCount ?? 0) > 0 }
        default: friendKinds.contains(event.kind)
        }
    }

    /// Checks the sequence of the groups: that of their own last event, or of a later event about a
    /// friend that came into a group or left it.
    private mutating func checkGroupsSequence(
        _ user: UserID, _ userRecord: UserRecord, _ log: [(sequence: Int64, ChangeRecord)]
    ) {
        let own = log.last { Self.groupKinds.contains($0.1.kind) }?.sequence
        let claimed = log.first { $0.sequence == userRecord.groupsSequence }?.1.kind
        let isTrimmed = own == nil && userRecord.groupsSequence <= userRecord.logFloor
        expect(
            isTrimmed || userRecord.groupsSequence == own
                || userRecord.groupsSequence > own ?? 0
                    && Self.friendKinds.contains(claimed ?? .unspecified),
            user,
            "the sequence of the list of groups: is \(userRecord.groupsSequence), not \(own ?? 0)")
    }

    /// Checks a list's sequence: that of the last event that changed it, which may be trimmed.
    ///
    /// All lists of an account that was made again changed at the floor of its log.
    mutating func expectLast(
        _ last: Int64?, _ sequence: Int64, _ userRecord: UserRecord, _ user: UserID, _ name: String
    ) {
        let floor = userRecord.logFloor
        expect(
            last.map { $0 == sequence } ?? (sequence <= floor), user,
            "the sequence of the list of \(name): is \(sequence), not \(last ?? floor)")
    }

    private mutating func checkFeed() throws(StorageError) {
        var fed: [UserID: [Int64]] = [:]
        var profiles: [UserID: Int64] = [:]
        let rows = try world.rows(of: Tables.feed, in: world.app.feed)
        let entries = rows.flatMap { row in
            row.record.entries(endingAt: Int64(row.key)).map { entry in
                (key: entry.position, record: entry.event, timeMs: row.record.timeMs)
            }
        }
        for row in rows {
            let hasOwn = row.record.events.contains { $0.event != nil }
            if row.record.events.isEmpty || hasOwn != row.record.hasOwnEvents {
                findings.append("row \(row.key) of the feed says wrongly what it has")
            }
        }
        let state = try world.feedState()
        let floor = state.feedFloor
        if entries.map(\.key) != Array(floor + 1..<state.position + 1) {
            findings.append("the feed has a gap before its position \(state.position)")
        }
        let own = Int64(entries.count { $0.record.sequence != 0 })
        if own > state.events || floor == 0 && own < state.events {
            findings.append("the feed counts \(state.events) events, and has \(own)")
        }
        if !(floor...state.position ~= state.trimmedTo) {
            findings.append("the feed is trimmed to \(state.trimmedTo)")
        }
        for entry in entries where !entry.record.isErased {
            // The feed names only users that exist: rules make no event for a user that is not an
            // account.
            let user = UserID(stored: entry.record.userID.utf8)
            if entry.record.event == nil { fed[user, default: []].append(entry.record.sequence) }
            let event = try checkEvent(of: user, entry.record, entry.timeMs, at: entry.key)
            if let event, event.changesProfile { profiles[user] = event.feedPosition }
        }
        for user in users {
            let entries = fed.removeValue(forKey: user) ?? []
            // Events that the feed names of an account that was deleted since are gone.
            guard let userRecord = try world.userRecord(of: user) else { continue }
            expectSame(
                entries.filter { $0 > userRecord.logFloor },
                Array(userRecord.logFloor + 1..<userRecord.sequence + 1), user,
                "the sequences in the feed")
        }
        for user in users {
            guard let userRecord = try world.userRecord(of: user) else { continue }
            let position = try world.storedProfile(of: user).position
            expect(
                profiles[user].map { $0 == position }
                    // The log may have lost that event, from its end or by an erasure.
                    ?? (position <= max(floor, userRecord.logFloorPosition)), user,
                "the position of the profile in the feed: is \(position), not that of its event")
        }
        for user in fed.keys { findings.append("the feed names \(user), which was not checked") }
    }
    /// Checks that an event knows its position in the feed, be it in a log or in the feed itself.
    ///
    /// - Returns: The event; nil if it was deleted with its account.
    private mutating func checkEvent(
        of user: UserID, _ entry: FeedEventRecord, _ timeMs: Int64, at position: Int64
    ) throws(StorageError) -> ChangeRecord? {
        var event = entry.event
        if event == nil {
            event = try world.read { (transaction) throws(StorageError) in
                try Tables.changes.record(
                    world.app.partition(of: user), UInt64(entry.sequence), in: transaction)
            }
            let floor = try world.userRecord(of: user)?.logFloor
            expect(
                (event == nil) == floor.map { entry.sequence <= $0 } ?? (event == nil)
                    || entry.sequence <= world.settings.history.floor, user,
                "event \(entry.sequence) is in the feed, and the log begins after \(floor ?? 0)")
            guard event != nil else { return nil }
        } else {
            expectSame(entry.sequence, 0, user, "the sequence of an event of the feed alone")
        }
        expectSame(event?.feedPosition, position, user, "the position of an event in the feed")
        expectSame(event?.timeMs, timeMs, user, "the time of an event in the feed")
        return event
    }
}

extension ChangeRecord {
    /// Whether the profile that it tells of takes its position in the feed from it.
    fileprivate var changesProfile: Bool {
        switch kind {
        case .profileChange, .visibilityChanged: true
        case .accountCreated: (items.first?.profile?.version ?? 0) > 0
        default: false
        }
    }
}
