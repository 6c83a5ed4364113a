import Memory
package import RelationModel
package import Storage

/// Friend groups: named sets of an owner's friends.
///
/// A friend's own row lists the names of its groups. The groups' rows count their members and hold
/// the order of creation. Both are written together.
package enum Groups {
    package static func record(
        _ name: String, of owner: UserID, app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> GroupRecord? {
        try Tables.groups.record(app.partition(of: owner), GroupName(name), in: transaction)
    }

    /// The records of the groups of those names, in their order; nil for a name without a group.
    package static func records(
        _ names: [String], of owner: UserID, app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> [GroupRecord?] {
        var keys = KeyList()
        for name in names {
            Tables.groups.add(app.partition(of: owner), GroupName(name), to: &keys)
        }
        return try Tables.groups.records(keys, in: transaction)
    }

    /// Whether `owner` may put a friend into all of `names`: its limit has room for those that are
    /// new.
    package static func fit(
        _ names: [String], of owner: UserID, in ledger: Ledger
    ) throws(StorageError) -> Bool {
        guard !names.isEmpty, let userRecord = try ledger.userRecord(of: owner) else { return true }
        var missing = 0
        for name in names
        where try record(name, of: owner, app: ledger.app, in: ledger.transaction) == nil {
            missing += 1
        }
        return missing == 0 || Int(userRecord.groupCount) + missing <= ledger.limits.groups
    }

    /// The names of `all` that are not in `names`, in their order.
    private static func without(_ names: [String], _ all: [String]) -> [String] {
        // Friends are in few groups; many would be compared with each other.
        guard names.count > 16 else { return all.filter { !names.contains(exactly: $0) } }
        let names = Set(names.map(ExactText.init))
        return all.filter { !names.contains(ExactText($0)) }
    }

    /// Moves `friend` from the groups `old` to the groups `names`, and makes groups that do not
    /// exist yet.
    ///
    /// No event about the groups reports the move. The event that holds the friend's row, or says
    /// that the row is gone, reports it.
    ///
    /// - Precondition: ``fit(_:of:in:)`` is true, and no name repeats.
    /// - Returns: Whether any group has changed. If so, the caller gives the owner's groups the
    ///   sequence of that event, see ``Ledger/noteGroups(of:at:)``.
    package static func move(
        _ friend: UserID, of owner: UserID, from old: [String], to names: [String],
        in ledger: Ledger
    ) throws(StorageError) -> Bool {
        let left = without(names, old)
        let entered = without(old, names)
        guard !left.isEmpty || !entered.isEmpty else { return false }
        var keys = KeyList()
        for name in left {
            Tables.groups.add(ledger.partition(of: owner), GroupName(name), to: &keys)
        }
        try ledger.fetch(keys)
        for name in left {
            try change(name, of: owner, in: ledger) { group, partition in
                group.memberCount.decrease()
                Tables.groupMembers.remove(
                    partition, GroupMember(group: group.number, user: friend),
                    in: ledger.transaction)
            }
        }
        for name in entered {
            try create(name, of: owner, in: ledger)
            try change(name, of: owner, in: ledger) { (group, partition) throws(StorageError) in
                group.memberCount += 1
                try Tables.groupMembers.set(
                    EmptyRecord(), at: partition, GroupMember(group: group.number, user: friend),
                    in: ledger.transaction)
            }
        }
        return true
    }

    /// Makes the group `name` without members, unless it exists.
    package static func create(
        _ name: String, of owner: UserID, in ledger: Ledger
    ) throws(StorageError) {
        let known = try record(name, of: owner, app: ledger.app, in: ledger.transaction)
        guard known == nil else { return }
        var group = GroupRecord()
        group.createdMs = ledger.now.milliseconds
        try ledger.changeUserRecord(of: owner) { userRecord in
            group.number = userRecord.nextGroup
            userRecord.nextGroup += 1
            userRecord.groupCount += 1
        }
        try Tables.groups.set(
            group, at: ledger.partition(of: owner), GroupName(name), in: ledger.transaction)
        try ledger.notify(owner, .groupCreated, ofGroup: name) { _ in }
    }

    /// Makes the group `name` of an import without members, at its position among the groups.
    ///
    /// - Precondition: `owner` has no group of that name or number.
    static func restore(
        _ name: String, number: UInt32, createdMs: Int64, of owner: UserID, in ledger: Ledger
    ) throws(StorageError) {
        var group = GroupRecord()
        group.number = number
        group.createdMs = createdMs
        try ledger.changeUserRecord(of: owner) { userRecord in
            userRecord.nextGroup = max(userRecord.nextGroup, number + 1)
            userRecord.groupCount += 1
        }
        try Tables.groups.set(
            group, at: ledger.partition(of: owner), GroupName(name), in: ledger.transaction)
        try ledger.notify(owner, .groupCreated, ofGroup: name) { _ in }
    }

    /// Changes the row of a group that exists.
    package static func change(
        _ name: String, of owner: UserID, in ledger: Ledger,
        _ body: (inout GroupRecord, Partition) throws(StorageError) -> Void
    ) throws(StorageError) {
        let partition = ledger.partition(of: owner)
        guard var group = try record(name, of: owner, app: ledger.app, in: ledger.transaction)
        else {
            throw StorageError(.corrupted, "a friend's row names a group that has no row")
        }
        try body(&group, partition)
        try Tables.groups.set(group, at: partition, GroupName(name), in: ledger.transaction)
    }

    // MARK: Reading

    /// All groups of `owner` in the order in which they were made.
    package static func all(
        of owner: UserID, app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> [(name: String, record: GroupRecord)] {
        let table = Tables.groups
        var groups: [(name: String, record: GroupRecord)] = []
        var isBroken = false
        try table.scan(
            table.all(of: app.partition(of: owner)), limit: .max, in: transaction
        ) { key, bytes in
            guard let record = table.decode(bytes, in: transaction.arena) else {
                isBroken = true
                return .stop
            }
            groups.append((key.text, record))
            return .more
        }
        guard !isBroken else { throw StorageError(.corrupted, "a group's row does not decode") }
        return groups.sorted { $0.record.number < $1.record.number }
    }

    /// Calls `body` with the members of the group `number` of `owner` in order of their ids,
    /// beginning after `last`, until `body` returns ``ScanStep/stop``.
    package static func scanMembers(
        of number: UInt32, of owner: UserID, after last: UserID? = nil,
        _ order: ScanOrder = .ascending, limit: Int = .max, app: App,
        in transaction: any ReadTransaction, _ body: (UserID) -> ScanStep
    ) throws(StorageError) {
        let table = Tables.groupMembers
        var prefix = [table.kind]
        prefix.append(bigEndian: number)
        var (lower, upper) = (prefix, KeyRange.after(prefix))
        if let last {
            switch order {
            case .ascending: lower += Array(last.text.utf8) + [0]
            case .descending: upper = prefix + Array(last.text.utf8)
            }
        }
        let range = KeyRange(in: app.partition(of: owner), from: lower, to: upper)
        try table.scan(range, order, limit: limit, in: transaction) { key, _ in body(key.user) }
    }

    /// The members of the group `number` of `owner` in order of their ids: at most `limit`,
    /// beginning after `last`.
    package static func members(
        of number: UInt32, of owner: UserID, after last: UserID? = nil,
        _ order: ScanOrder = .ascending, limit: Int = .max, app: App,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> [UserID] {
        var members: [UserID] = []
        try scanMembers(
            of: number, of: owner, after: last, order, limit: limit, app: app, in: transaction
        ) { user in
            members.append(user)
            return .more
        }
        return members
    }
}

extension [String] {
    /// Whether an element has exactly the bytes of `name`.
    ///
    /// Group names that look alike to Unicode are different names, since they are different keys.
    package func contains(exactly name: String) -> Bool {
        contains { $0.isExactly(name) }
    }
}
