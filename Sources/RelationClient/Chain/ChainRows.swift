internal import RelationAPI
internal import RelationModel

/// The friends and the blacklist of one user at one sequence, which events keep up to date.
struct ChainRows: Sendable, Equatable {
    /// The kinds of events that change the rows.
    static let kinds: [ChangeKind] = [
        .addFriend, .deleteFriend, .addBlacklist, .deleteBlacklist, .friendChange, .groupCreated,
        .groupDeleted, .groupRenamed, .groupMembersChanged, .listChanged,
    ]

    private(set) var friends: [ByteText: Friend] = [:]
    private(set) var blacklist: [ByteText: BlacklistEntry] = [:]
    /// The user's sequence up to which all events are in the rows.
    var sequence: Int64

    init(_ friends: [Friend] = [], _ blacklist: [BlacklistEntry] = [], sequence: Int64 = 0) {
        for friend in friends { self.friends[ByteText(friend.userID)] = friend }
        for entry in blacklist { self.blacklist[ByteText(entry.userID)] = entry }
        self.sequence = sequence
    }

    var count: Int { friends.count + blacklist.count }

    /// Applies an event of the user's log, and comes to its sequence.
    ///
    /// - Parameter isRedo: Whether rows may be newer than the event, because they were read while
    ///   the log went on. Such a row has the event in it, as its own sequence says.
    /// - Returns: False if the event does not name the rows that changed: they must be read again.
    mutating func apply(_ event: ChangeEvent, isRedo: Bool = false) -> Bool {
        if event.kind == .listChanged { return false }
        let least = isRedo ? event.sequence : Int64.max
        for item in event.items { apply(item, event, least) }
        sequence = event.sequence
        return true
    }

    /// Removes friends, as a write of the user did; the write has this sequence.
    mutating func removeFriends(_ users: [String], at sequence: Int64) {
        for user in users { friends[ByteText(user)] = nil }
        self.sequence = sequence
    }

    /// Removes users from the blacklist, as a write of the user did; the write has this sequence.
    mutating func unblock(_ users: [String], at sequence: Int64) {
        for user in users { blacklist[ByteText(user)] = nil }
        self.sequence = sequence
    }

    /// - Parameter least: A row of a friend with this sequence or a higher one stays as it is.
    private mutating func apply(_ item: ChangeItem, _ event: ChangeEvent, _ least: Int64) {
        switch event.kind {
        case .addFriend, .friendChange:
            guard let friend = item.friendEntry else { break }
            let key = ByteText(friend.userID)
            if friends[key].map({ $0.sequence < least }) ?? true { friends[key] = friend }
        case .deleteFriend:
            let key = ByteText(item.userID)
            if let row = friends[key], row.sequence < least { friends[key] = nil }
        case .addBlacklist:
            guard let entry = item.blacklistEntry else { break }
            blacklist[ByteText(entry.userID)] = entry
        case .deleteBlacklist:
            blacklist[ByteText(item.blacklistEntry?.userID ?? item.userID)] = nil
        case .groupCreated, .groupMembersChanged:
            let name = ByteText(item.group?.name ?? "")
            for member in item.addedUserIDs {
                changeGroups(of: ByteText(member), at: event.sequence, least) { groups in
                    let isThere = groups.contains { ByteText($0) == name }
                    if !isThere { groups.append(name.text) }
                }
            }
            for member in item.removedUserIDs {
                changeGroups(of: ByteText(member), at: event.sequence, least) { groups in
                    groups.removeAll { ByteText($0) == name }
                }
            }
        case .groupDeleted:
            let name = ByteText(item.group?.name ?? "")
            for friend in members(of: name) {
                changeGroups(of: friend, at: event.sequence, least) { groups in
                    groups.removeAll { ByteText($0) == name }
                }
            }
        case .groupRenamed:
            let (old, new) = (ByteText(item.oldGroupName), item.group?.name ?? "")
            for friend in members(of: old) {
                changeGroups(of: friend, at: event.sequence, least) { groups in
                    groups = groups.map { ByteText($0) == old ? new : $0 }
                }
            }
        default: break
        }
    }

    private func members(of group: ByteText) -> [ByteText] {
        friends.filter { $0.value.groups.contains { ByteText($0) == group } }.map(\.key)
    }

    /// Changes the groups in a friend's row, which then has the sequence of the event.
    private mutating func changeGroups(
        of friend: ByteText, at sequence: Int64, _ least: Int64,
        _ change: (inout [String]) -> Void
    ) {
        guard var row = friends[friend], row.sequence < least else { return }
        change(&row.groups)
        row.sequence = sequence
        friends[friend] = row
    }
}
