import RelationCore
import RelationModel

extension Oracle {
    /// A friend's row with its times, which no view has.
    struct TimedRow: Equatable {
        var row: Row
        var addMs: Int64
        var remarkMs: Int64
    }

    /// A value of two users before a call and after it; nil where there was none.
    struct PairChange<Value: Equatable> {
        let pair: Pair
        let before: Value?
        let after: Value?

        var comesBack: Bool { before != nil && after == nil }
        var goes: Bool { before == nil && after != nil }
    }

    /// The name of a group or the value of a field before a call and after it.
    struct OwnChange {
        let before: String?
        let after: String?
    }

    /// The changes of one call between two users, or of one.
    struct PastEntry {
        var friends: [PairChange<TimedRow>] = []
        var blacklists: [PairChange<Int64>] = []
        var follows: [PairChange<Int64>] = []
        var groups: [OwnChange] = []
        var fields: [String: OwnChange] = [:]

        var isEmpty: Bool {
            friends.isEmpty && blacklists.isEmpty && follows.isEmpty && groups.isEmpty
                && fields.isEmpty
        }
    }

    /// The entries of an app's history, and the times of the present rows.
    ///
    /// It leaves out applications, which no call takes back.
    struct Past {
        /// The entries about each two users, or about one, the oldest first.
        var entries: [[UserID]: [PastEntry]] = [:]
        var addMs: [Pair: Int64] = [:]
        var remarkMs: [Pair: Int64] = [:]
        var blockMs: [Pair: Int64] = [:]
        var followMs: [Pair: Int64] = [:]
        /// Whether each user may send no applications, if that was ever set.
        var forbids: [UserID: Bool] = [:]
        /// The groups that the present call makes, renames or deletes.
        var groups: [(owner: UserID, change: OwnChange)] = []
        /// The rows of friends that the present call takes back.
        var touched: Set<Pair> = []
    }

    func timedRow(_ pair: Pair) -> TimedRow? {
        view.rows[pair].map {
            TimedRow(row: $0, addMs: past.addMs[pair] ?? 0, remarkMs: past.remarkMs[pair] ?? 0)
        }
    }

    /// The fields of a profile that the steps of a history change, as far as they are set.
    func fields(of user: UserID) -> [String: String] {
        var fields = view.texts[user] ?? [:]
        fields["nick"] = view.nicks[user]
        fields["allow_type"] = allowTypes[user].map { "\($0.rawValue)" }
        fields["admin_forbid_type"] = past.forbids[user].map { "\($0)" }
        return fields
    }

    /// Notes what a step has changed since the oracle of before.
    mutating func noteHistory(
        of step: RelationStep, _ answers: [Answer], since before: Oracle, _ nowMs: Int64
    ) {
        guard keepsHistory else { return }
        if case .undo = step.action {
            // Rows that came back have the times that they had.
        } else {
            noteTimes(since: before, nowMs)
        }
        if case .importRow(let row, _) = step.action, answers == [Answer(0)] {
            noteTimes(of: row, isNew: before.view.rows[Pair(row.owner, row.friend)] == nil)
        }
        if case .mayNotSend(let isForbidden) = step.action {
            past.forbids[step.actor] = isForbidden
        }
        if case .undo = step.action { noteMadeGroups(since: before) }
        var entries = pairEntries(since: before)
        for user in accounts {
            var entry = PastEntry()
            let (old, new) = (before.fields(of: user), fields(of: user))
            for path in Set(old.keys).union(new.keys) where old[path] != new[path] {
                entry.fields[path] = OwnChange(before: old[path], after: new[path])
            }
            entry.groups = past.groups.filter { $0.owner == user }.map(\.change)
            if !entry.isEmpty { entries[[user]] = entry }
        }
        (past.groups, past.touched) = ([], [])
        for (users, entry) in entries { past.entries[users, default: []].append(entry) }
    }

    /// Notes the groups that were made for a friend who was taken away again by the same call.
    ///
    /// Such a group has a change of its own, because no row that the call wrote names it.
    private mutating func noteMadeGroups(since before: Oracle) {
        for user in accounts {
            let known =
                (before.view.groups[user] ?? []) + past.groups.compactMap { $0.change.after }
            for name in view.groups[user] ?? [] where !known.contains(name) {
                let isNamed = past.touched.contains { pair in
                    pair.from == user && view.rows[pair]?.groups.contains(name) ?? false
                }
                guard !isNamed else { continue }
                past.groups.append((user, OwnChange(before: nil, after: name)))
            }
        }
    }

    /// The changes between each two users.
    ///
    /// A row that one call took back and forth is in an entry too, because it was written.
    private func pairEntries(since before: Oracle) -> [[UserID]: PastEntry] {
        var entries: [[UserID]: PastEntry] = [:]
        func users(_ pair: Pair) -> [UserID] { [pair.from, pair.to].sorted() }
        for pair in Set(before.view.rows.keys).union(view.rows.keys) {
            let change = PairChange(
                pair: pair, before: before.timedRow(pair), after: timedRow(pair))
            let isTouched = past.touched.contains(pair) && change.after != nil
            guard change.before != change.after || isTouched else { continue }
            entries[users(pair), default: PastEntry()].friends.append(change)
        }
        for pair in Set(before.past.blockMs.keys).union(past.blockMs.keys) {
            let change = PairChange(
                pair: pair, before: before.past.blockMs[pair], after: past.blockMs[pair])
            guard change.before != change.after else { continue }
            entries[users(pair), default: PastEntry()].blacklists.append(change)
        }
        for pair in Set(before.past.followMs.keys).union(past.followMs.keys) {
            let change = PairChange(
                pair: pair, before: before.past.followMs[pair], after: past.followMs[pair])
            guard change.before != change.after else { continue }
            entries[users(pair), default: PastEntry()].follows.append(change)
        }
        return entries
    }

    // MARK: Times

    /// Gives new rows and new remarks the time of the call.
    private mutating func noteTimes(since before: Oracle, _ nowMs: Int64) {
        for (pair, row) in view.rows {
            let old = before.view.rows[pair]
            if old == nil { past.addMs[pair] = nowMs }
            guard old?.remark ?? "" != row.remark || old == nil else { continue }
            past.remarkMs[pair] = old == nil && row.remark.isEmpty ? 0 : nowMs
        }
        for pair in view.blacklist where past.blockMs[pair] == nil { past.blockMs[pair] = nowMs }
        for pair in view.follows where past.followMs[pair] == nil { past.followMs[pair] = nowMs }
        past.addMs = past.addMs.filter { view.rows[$0.key] != nil }
        past.remarkMs = past.remarkMs.filter { view.rows[$0.key] != nil }
        past.blockMs = past.blockMs.filter { view.blacklist.contains($0.key) }
        past.followMs = past.followMs.filter { view.follows.contains($0.key) }
    }

    /// Gives the rows of an import the times that it has.
    private mutating func noteTimes(of row: FriendImport.Row, isNew: Bool) {
        let (mine, theirs) = (Pair(row.owner, row.friend), Pair(row.friend, row.owner))
        if let timeMs = row.values.addTimeMs {
            for pair in row.bothWays ? [mine, theirs] : [mine] { past.addMs[pair] = timeMs }
        }
        guard let timeMs = row.values.remarkTimeMs else { return }
        // A new row without a remark has no time of one.
        if !isNew || view.rows[mine]?.remark != "" { past.remarkMs[mine] = timeMs }
    }
}
