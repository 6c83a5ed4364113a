package import RelationModel
import Storage

extension PastTransaction {
    /// The rows between two users that the history tells of, as they were at the moment.
    private struct PairRows {
        /// By their keys; the bytes are empty where there was no row.
        private(set) var before: [Key: (bytes: [UInt8], other: UserID)] = [:]
        private(set) var others: Set<UserID> = []

        /// Adds a row unless it is known: the first entry says what the row was.
        mutating func add(_ key: Key, _ bytes: [UInt8], of other: UserID) {
            others.insert(other)
            if before[key] == nil { before[key] = (bytes, other) }
        }
    }

    /// Makes the rows of friends, blacklists and waiting applications between `user` and all others
    /// what they were, on both sides.
    ///
    /// The fields that viewers see of each other depend on these rows too: see ``showPresent()``.
    package func revertPairs(of user: UserID) throws(StorageError) {
        let kinds: Set<UInt8> = [
            Tables.friends.kind, Tables.blacklist.kind, Tables.pendencies.kind,
        ]
        let pairs = try pairRows(of: user, kinds)
        let unknownUsers = try unknownUsers(among: pairs.others)
        for (key, row) in pairs.before {
            let isGone = row.bytes.isEmpty || unknownUsers.contains(row.other)
            set(key, to: isGone ? nil : row.bytes)
        }
    }

    /// Makes the list of `owner`'s friends what it was, with its groups, and with all by which
    /// friends are counted and chosen.
    ///
    /// The rows of the others stay the present ones, because they decide what `owner` sees.
    package func revertList(of owner: UserID) throws(StorageError) {
        let pairs = try pairRows(of: owner, [Tables.friends.kind])
        let partition = app.partition(of: owner)
        let unknownUsers = try unknownUsers(among: pairs.others)
        var list = PastList()
        for other in pairs.others {
            let mine = Tables.friends.key(partition, other)
            let theirs = Tables.friends.key(app.partition(of: other), owner)
            let now = try bytes(of: mine)
            let then = unknownUsers.contains(other) ? [] : pairs.before[mine]?.bytes ?? now ?? []
            var isTheirs = try bytes(of: theirs) != nil
            if let before = pairs.before[theirs] { isTheirs = !before.bytes.isEmpty }
            set(mine, to: then.isEmpty ? nil : then)
            let mention = Tables.mentions.key(partition, Mention(.unreturned, other))
            set(mention, to: !then.isEmpty && !isTheirs ? [] : nil)
            list.add(other, from: try record(now ?? []), to: try record(then))
        }
        try set(list, of: owner)
    }

    /// Sets the groups, their members and the count of a list.
    private func set(_ list: PastList, of owner: UserID) throws(StorageError) {
        let partition = app.partition(of: owner)
        // No group has had these numbers, which count from below.
        var unused = UInt32.max
        for (exact, members) in list.members {
            let name = exact.text
            let key = Tables.groups.key(partition, GroupName(name))
            var group = GroupRecord()
            if let known = try Groups.record(name, of: owner, app: app, in: view) {
                group = known
            } else {
                unused -= 1
                group.number = unused
            }
            for (user, isMember) in members {
                group.memberCount = isMember ? group.memberCount + 1 : group.memberCount
                if !isMember { group.memberCount.decrease() }
                let member = GroupMember(group: group.number, user: user)
                set(Tables.groupMembers.key(partition, member), to: isMember ? [] : nil)
            }
            set(key, to: try Tables.groups.encode(group, in: arena))
        }
        let record = try Tables.userRecords.record(partition, OnlyKey(), in: view)
        guard var record, record.createdMs <= moment.milliseconds else { return }
        record.friendCount = UInt32(clamping: Int(record.friendCount) + list.added)
        // No history has sequences.
        record.friendsSequence = 0
        set(
            Tables.userRecords.key(partition, OnlyKey()),
            to: try Tables.userRecords.encode(record, in: arena))
    }

    private func pairRows(of user: UserID, _ kinds: Set<UInt8>) throws(StorageError) -> PairRows {
        var pairs = PairRows()
        try entries(of: user) { record in
            guard !record.otherUserID.isEmpty else { return }
            for change in record.changes {
                let kind = UInt8(truncatingIfNeeded: change.table)
                guard kinds.contains(kind) else { continue }
                let (owner, other) =
                    change.isOfOther ? (record.other, record.user) : (record.user, record.other)
                let partition = app.partition(of: owner)
                let key: Key
                switch kind {
                case Tables.friends.kind: key = Tables.friends.key(partition, other)
                case Tables.blacklist.kind: key = Tables.blacklist.key(partition, other)
                default:
                    let pendency = PendencyKey(change.pendencyType, other)
                    key = Tables.pendencies.key(partition, pendency)
                }
                pairs.add(key, change.before, of: owner == user ? other : owner)
            }
        }
        return pairs
    }

    /// The users that are not accounts, or were none at the moment.
    ///
    /// An account that is being erased no longer counts, while entries about it may still be there.
    private func unknownUsers(among users: Set<UserID>) throws(StorageError) -> Set<UserID> {
        let users = Array(users)
        var keys = KeyList()
        Accounts.userRecords(of: users, app: app, into: &keys)
        let exist = try keys.found(in: self)
        return Set(zip(users, exist).filter { !$0.1 }.map(\.0))
    }

    private func bytes(of key: Key) throws(StorageError) -> [UInt8]? {
        var found: [UInt8]?
        try view.read(KeyList([key])) { _, bytes in found = bytes.map { Array($0) } }
        return found
    }

    private func record(_ bytes: [UInt8]) throws(StorageError) -> FriendRecord? {
        guard !bytes.isEmpty else { return nil }
        let record = bytes.withUnsafeBytes { Tables.friends.decode($0, in: arena) }
        guard let record else { throw StorageError(.corrupted, "a friend's row does not decode") }
        return record
    }
}

/// The members of groups, and the number of friends, in which a list differs from the present one.
private struct PastList {
    /// How many friends the list had more than today.
    private(set) var added = 0
    /// By the groups' names: users that were members and are not, or the other way round.
    private(set) var members: [ExactText: [UserID: Bool]] = [:]

    mutating func add(_ user: UserID, from now: FriendRecord?, to then: FriendRecord?) {
        added += (then == nil ? 0 : 1) - (now == nil ? 0 : 1)
        let present = Set((now?.groups ?? []).map(ExactText.init))
        let past = Set((then?.groups ?? []).map(ExactText.init))
        for name in past.subtracting(present) { members[name, default: [:]][user] = true }
        for name in present.subtracting(past) { members[name, default: [:]][user] = false }
    }
}
