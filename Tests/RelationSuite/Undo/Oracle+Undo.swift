import RelationCore
import RelationModel

/// UndoChanges, as the contract and the page of the history describe it.
extension Oracle {
    /// Takes a step of groups, or one that takes changes back.
    mutating func takeUndo(_ step: RelationStep, _ nowMs: Int64) -> [Answer] {
        let user = step.actor
        switch step.action {
        case .createGroup(let name): return [createGroup(name, of: user)]
        case .deleteGroup(let name):
            guard groups(of: user).contains(name) else { return [Self.noGroup] }
            change(OwnChange(before: name, after: nil), of: user)
            return [Answer(0)]
        case .renameGroup(let name, let newName):
            return [renameGroup(name, to: newName, of: user)]
        case .undo(let targets):
            // The call's own entries come at its end, so it takes none of them back.
            return targets.map { undo($0, nowMs) }
        default: preconditionFailure("the step takes nothing back")
        }
    }

    // MARK: Groups

    private static let noGroup = Answer(30001, "Err_SNS_GroupUpdate_Group_Not_Exist")

    private func groups(of user: UserID) -> [String] { view.groups[user] ?? [] }

    private mutating func createGroup(_ name: String, of user: UserID) -> Answer {
        if groups(of: user).contains(name) { return Answer(30001, "Err_SNS_GroupAdd_Group_Exist") }
        if isForbidden([name]) { return Answer(30005) }
        if passesGroupLimit([name], user) { return Answer(30011) }
        change(OwnChange(before: nil, after: name), of: user)
        return Answer(0)
    }

    private mutating func renameGroup(
        _ name: String, to newName: String, of user: UserID
    ) -> Answer {
        guard groups(of: user).contains(name) else { return Self.noGroup }
        if groups(of: user).contains(newName) {
            return Answer(30001, "Err_SNS_GroupUpdate_Group_Exist")
        }
        if isForbidden([newName]) { return Answer(30005) }
        change(OwnChange(before: name, after: newName), of: user)
        return Answer(0)
    }

    /// Makes, renames or deletes a group, in the rows of its members too.
    private mutating func change(_ group: OwnChange, of owner: UserID) {
        past.groups.append((owner, group))
        guard let name = group.before else {
            if let new = group.after { view.groups[owner, default: []].append(new) }
            return
        }
        let names = groups(of: owner)
        if let new = group.after {
            view.groups[owner] = names.map { $0 == name ? new : $0 }
        } else {
            view.groups[owner] = names.filter { $0 != name }
        }
        for pair in view.rows.keys where pair.from == owner {
            let old = view.rows[pair]?.groups ?? []
            guard old.contains(name) else { continue }
            view.rows[pair]?.groups = old.compactMap { $0 == name ? group.after : $0 }
        }
    }

    /// The group after its change was taken back; nil if other changes stand against that.
    private func restored(_ group: OwnChange, of owner: UserID) -> [OwnChange]? {
        let names = groups(of: owner)
        let isThere = group.before.map(names.contains) ?? false
        guard let new = group.after else {
            return isThere ? [] : [OwnChange(before: nil, after: group.before)]
        }
        guard group.before == nil || isThere else {
            return names.contains(new) ? [OwnChange(before: new, after: group.before)] : nil
        }
        // The group was made, or another one has its former name.
        guard names.contains(new) else { return [] }
        let hasMembers = view.rows.contains {
            $0.key.from == owner && $0.value.groups.contains(new)
        }
        return hasMembers ? nil : [OwnChange(before: new, after: nil)]
    }

    // MARK: The call

    private static func refusal(_ name: String) -> Answer {
        Answer(30001, "Err_ChangeUndo_\(name)")
    }

    private mutating func undo(_ target: RelationStep.UndoTarget, _ nowMs: Int64) -> Answer {
        let known = past.entries[target.users.sorted()] ?? []
        guard keepsHistory, target.back < known.count else { return Self.refusal("Not_Exist") }
        let entry = known[known.count - 1 - target.back]
        let owner = target.users[0]
        if isDone(entry, owner) { return Answer(0) }
        guard isUndisturbed(entry, owner) else { return Self.refusal("Changed_Since") }
        guard !isBlocked(entry) else { return Self.refusal("Blocked") }
        if let full = fullList(entry, owner) { return full }
        carryOut(entry, owner, nowMs)
        return Answer(0)
    }

    /// Whether all is as it was before the call of the entry.
    private func isDone(_ entry: PastEntry, _ owner: UserID) -> Bool {
        let fields = fields(of: owner)
        return entry.friends.allSatisfy { timedRow($0.pair) == $0.before }
            && entry.blacklists.allSatisfy { past.blockMs[$0.pair] == $0.before }
            && entry.follows.allSatisfy { past.followMs[$0.pair] == $0.before }
            && entry.groups.allSatisfy { restored($0, of: owner)?.isEmpty ?? false }
            && entry.fields.allSatisfy { fields[$0.key] == $0.value.before }
    }

    /// Whether all is as the call of the entry left it.
    private func isUndisturbed(_ entry: PastEntry, _ owner: UserID) -> Bool {
        let fields = fields(of: owner)
        return entry.friends.allSatisfy { timedRow($0.pair) == $0.after }
            && entry.blacklists.allSatisfy { past.blockMs[$0.pair] == $0.after }
            && entry.follows.allSatisfy { past.followMs[$0.pair] == $0.after }
            && entry.groups.allSatisfy { restored($0, of: owner) != nil }
            && entry.fields.allSatisfy { fields[$0.key] == $0.value.after }
    }

    /// Whether a blacklist would stand beside what comes back, or what is there beside one that
    /// comes back.
    private func isBlocked(_ entry: PastEntry) -> Bool {
        let isFollowed = entry.follows.contains(where: \.comesBack)
        let comes =
            entry.friends.contains(where: \.comesBack)
            || entry.blacklists.contains(where: \.comesBack)
        guard
            let pair = entry.friends.first?.pair ?? entry.blacklists.first?.pair
                ?? entry.follows.first?.pair, isFollowed || comes
        else { return false }
        let pairs = [pair, Pair(pair.to, pair.from)]
        let isListed = pairs.contains { pair in
            guard let change = entry.blacklists.first(where: { $0.pair == pair }) else {
                return view.blacklist.contains(pair)
            }
            return change.before != nil
        }
        let areFriends = pairs.contains { pair in
            guard let change = entry.friends.first(where: { $0.pair == pair }) else {
                return view.rows[pair] != nil
            }
            return change.before != nil
        }
        return isListed && (isFollowed || !keepsFriendships && areFriends)
    }

    /// The refusal by a list that is full; nil if all have room.
    private func fullList(_ entry: PastEntry, _ owner: UserID) -> Answer? {
        if entry.friends.contains(where: { $0.comesBack && isFull($0.pair.from) }) {
            return Answer(30010)
        }
        for change in entry.friends {
            let groups = change.before?.row.groups ?? []
            if passesGroupLimit(groups, change.pair.from) { return Answer(30011) }
        }
        for change in entry.groups.flatMap({ restored($0, of: owner) ?? [] })
        where change.before == nil {
            if passesGroupLimit([change.after ?? ""], owner) { return Answer(30011) }
        }
        for change in entry.blacklists where change.comesBack {
            let count = view.blacklist.count { $0.from == change.pair.from }
            if count >= limits.blacklistedUsers { return Answer(30013) }
        }
        let coming = entry.follows.filter(\.comesBack).map(\.pair).sorted()
        return coming.lazy.compactMap { fullFollows($0, isReturned: coming.count > 1) }.first
    }

    private func fullFollows(_ pair: Pair, isReturned: Bool) -> Answer? {
        guard view.follows.count(where: { $0.from == pair.from }) < limits.followings else {
            return Self.refusal("Following_Num_Exceed_Threshold")
        }
        if limits.followers > 0,
            view.follows.count(where: { $0.to == pair.to }) >= limits.followers
        {
            return Self.refusal("Follower_Num_Exceed_Threshold")
        }
        guard limits.mutualFollows > 0,
            isReturned || view.follows.contains(Pair(pair.to, pair.from))
        else { return nil }
        let isFull = [pair.from, pair.to].contains { mutualCount($0) >= limits.mutualFollows }
        return isFull ? Self.refusal("Mutual_Num_Exceed_Threshold") : nil
    }

    // MARK: The change

    private mutating func carryOut(_ entry: PastEntry, _ owner: UserID, _ nowMs: Int64) {
        for change in entry.blacklists where change.goes {
            view.blacklist.remove(change.pair)
            past.blockMs[change.pair] = nil
        }
        for change in entry.follows where change.goes { unfollow(change.pair) }
        for group in entry.groups {
            for step in restored(group, of: owner) ?? [] { change(step, of: owner) }
        }
        for (path, change) in entry.fields { set(path, change.before, of: owner) }
        for change in entry.friends where change.goes {
            view.rows[change.pair] = nil
            (past.addMs[change.pair], past.remarkMs[change.pair]) = (nil, nil)
        }
        endReviewsOfMissingRows()
        past.touched.formUnion(entry.friends.map(\.pair))
        for change in entry.friends {
            guard let old = change.before else { continue }
            // A remark that comes back is not reviewed, and ends the review of the one before.
            if view.rows[change.pair]?.remark != old.row.remark {
                view.remarkReviews[change.pair] = nil
            }
            write(change.pair, old.row)
            (past.addMs[change.pair], past.remarkMs[change.pair]) = (old.addMs, old.remarkMs)
        }
        for change in entry.friends where change.comesBack {
            endAnswered(byRowOf: change.pair.from, for: change.pair.to)
        }
        for change in entry.follows where change.comesBack {
            view.follows.insert(change.pair)
            past.followMs[change.pair] = change.before
        }
        for change in entry.blacklists where change.comesBack {
            // It ends what a new one ends, but for the friendship, which cannot be there.
            let back = Pair(change.pair.to, change.pair.from)
            for pair in [change.pair, back] { unfollow(pair) }
            view.applications[change.pair] = nil
            refuse(back, nowMs)
            view.blacklist.insert(change.pair)
            past.blockMs[change.pair] = change.before
        }
    }

    private mutating func unfollow(_ pair: Pair) {
        view.follows.remove(pair)
        past.followMs[pair] = nil
    }

    /// Gives a field of a profile a value that it had; it is not reviewed.
    private mutating func set(_ path: String, _ value: String?, of user: UserID) {
        switch path {
        case "nick": view.nicks[user] = value
        case "allow_type":
            allowTypes[user] = value.flatMap { Int32($0) }.map { AllowType(rawValue: $0) }
        case "admin_forbid_type":
            past.forbids[user] = value.map { $0 == "true" }
            if value == "true" { mayNotSend.insert(user) } else { mayNotSend.remove(user) }
        default: set(path, value ?? "", of: user, nil)
        }
    }
}
