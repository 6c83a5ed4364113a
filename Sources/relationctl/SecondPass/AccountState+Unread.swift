import Migrations
import Protobuf
import RelationAPI
import RelationModel

extension AccountState {
    /// Takes rows from an earlier pass that this one has not read whole, so that they are not taken
    /// for gone.
    ///
    /// The profile is left as it is: ``AccountChange`` clears no field of one that was not read.
    ///
    /// - Parameters:
    ///   - unread: The kinds that this pass has not read whole.
    ///   - lackedKeys: The custom fields of friends that this pass does not define.
    /// - Returns: How many rows or fields were kept, by their kind.
    mutating func copyUnread(
        from old: AccountState, _ unread: UnreadKinds, lackedKeys: Set<String>
    ) -> [String: Int] {
        var kept: [String: Int] = [:]
        func noteKept(_ count: Int, _ kind: String) {
            if count > 0 { kept[kind, default: 0] += count }
        }
        if unread.has("profile"), visibility == nil, let before = old.visibility {
            if before != .notSet { noteKept(1, "profile") }
            visibility = before
        }
        // A friend may name a group that the list of groups lacks.
        if unread.has("group") || unread.has("friend") {
            noteKept(old.groups.filter { !groups.contains($0) }.count, "group")
            groups = old.groups + groups.filter { !old.groups.contains($0) }
        }
        let keepsFields = unread.has(UnreadKinds.values("friend"))
        let before = Dictionary(old.friends.map { ($0.userID, $0) }) { first, _ in first }
        for index in friends.indices {
            guard let earlier = before[friends[index].userID] else { continue }
            let asRead = friends[index]
            if keepsFields { friends[index].copyFields(of: earlier) }
            friends[index].copyCustom(of: earlier) { keepsFields || lackedKeys.contains($0) }
            noteKept(friends[index] == asRead ? 0 : 1, "friend")
        }
        if unread.has("friend") {
            let lacked = Self.lacked(old.friends, friends, \.userID)
            noteKept(lacked.count, "friend")
            friends += lacked
        }
        if unread.has("blacklist") {
            let lacked = Self.lacked(old.blacklist, blacklist, \.userID)
            noteKept(lacked.count, "blacklist")
            blacklist += lacked
        }
        if unread.has("follow") {
            let lacked = Self.lacked(old.follows, follows, \.userID)
            noteKept(lacked.count, "follow")
            follows += lacked
        }
        copyTimes(of: old, unread)
        return kept
    }

    /// A time that was left out is 0, which is not the time of the row.
    private mutating func copyTimes(of old: AccountState, _ unread: UnreadKinds) {
        if unread.has(UnreadKinds.values("blacklist")) {
            let times = Dictionary(old.blacklist.map { ($0.userID, $0.addTimeMs) }) { one, _ in one
            }
            for index in blacklist.indices where blacklist[index].addTimeMs == 0 {
                blacklist[index].addTimeMs = times[blacklist[index].userID] ?? 0
            }
        }
        if unread.has(UnreadKinds.values("follow")) {
            let times = Dictionary(old.follows.map { ($0.userID, $0.followTimeMs) }) { one, _ in one
            }
            for index in follows.indices where follows[index].followTimeMs == 0 {
                follows[index].followTimeMs = times[follows[index].userID] ?? 0
            }
        }
    }

    private static func lacked<Row>(
        _ old: [Row], _ new: [Row], _ user: KeyPath<Row, String>
    ) -> [Row] {
        let known = Set(new.map { $0[keyPath: user] })
        return old.filter { !known.contains($0[keyPath: user]) }
    }
}

extension Friend {
    /// Takes the fields that are empty here.
    fileprivate mutating func copyFields(of old: Friend) {
        if addTimeMs == 0 { addTimeMs = old.addTimeMs }
        if remark.isEmpty { (remark, remarkTimeMs) = (old.remark, old.remarkTimeMs) }
        if remark == old.remark, remarkTimeMs == 0 { remarkTimeMs = old.remarkTimeMs }
        if groups.isEmpty { groups = old.groups }
        if source.isEmpty { source = old.source }
        if wording.isEmpty { wording = old.wording }
    }

    /// Takes the values of some custom fields that have none here.
    fileprivate mutating func copyCustom(of old: Friend, where isKept: (String) -> Bool) {
        let known = Set(custom.map(\.key))
        custom += old.custom.filter { !known.contains($0.key) && isKept($0.key) }
    }
}
