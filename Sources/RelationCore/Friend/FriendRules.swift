package import RelationModel
package import Storage

extension FriendRules {
    /// Removes `user` from `owner`'s friends, and for ``DeleteType/both`` the reverse.
    ///
    /// Remark and groups go with the row. Only a side whose list changed is told.
    ///
    /// - Returns: ``FriendStatus/success``, or the first of these that applies:
    ///   ``FriendStatus/accountNotFound``, ``FriendStatus/notFriend`` if no row that the type names
    ///   exists.
    /// - Throws: ``StorageError`` if the store failed; nothing has then been written.
    package static func delete(
        _ user: UserID, from owner: UserID, _ type: DeleteType, in ledger: Ledger
    ) throws(StorageError) -> Outcome {
        guard try ledger.head(of: user) != nil else {
            return Outcome(.accountNotFound, Reason.FriendDelete.accountNotExist)
        }
        let mine = try Friendship.remove(user, of: owner, in: ledger)
        let theirs = type == .both ? try Friendship.remove(owner, of: user, in: ledger) : false
        guard mine || theirs else {
            return Outcome(.notFriend, Reason.FriendDelete.notFriend)
        }
        return .success
    }

    /// What `owner` and each of `users` are to each other.
    ///
    /// - Parameter type: ``CheckType/unidirection`` looks at `owner`'s list only, and answers
    ///   ``Relation/none`` or ``Relation/myUni``.
    /// - Returns: For each user its relation, or nil if it is no account. A user has no relation to
    ///   itself.
    package static func check(
        _ users: [UserID], of owner: UserID, _ type: CheckType, app: App,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> [Relation?] {
        let both = type != .unidirection
        let mine = owner.text.utf8
        var keys = KeyList()
        keys.reserve(users.count * 3)
        for user in users {
            let theirs = user.text.utf8
            Tables.heads.add(app.id, theirs, OnlyPlace(), to: &keys)
            guard user != owner else { continue }
            Tables.friends.add(app.id, mine, user, to: &keys)
            if both { Tables.friends.add(app.id, theirs, owner, to: &keys) }
        }
        var found: [Bool] = []
        found.reserveCapacity(keys.count)
        try transaction.read(keys) { _, bytes in found.append(bytes != nil) }
        var relations: [Relation?] = []
        relations.reserveCapacity(users.count)
        var row = 0
        for user in users {
            let exists = found[row]
            row += 1
            var relation = Relation.none
            if user != owner {
                relation = Relation(mine: found[row], theirs: both && found[row + 1])
                row += both ? 2 : 1
            }
            relations.append(exists ? relation : nil)
        }
        return relations
    }

    /// What to change on a friend's row.
    ///
    /// What is nil stays.
    package struct Change: Equatable {
        package let user: UserID
        package var remark: String?
        /// The groups that replace the row's.
        package var groups: [String]?

        package init(user: UserID) {
            self.user = user
        }

        /// What is absent differs from what is empty.
        private var texts: [[String]?] { [remark.map { [$0] }, groups] }

        package static func == (one: Change, other: Change) -> Bool {
            one.user == other.user
                && one.texts.elementsEqual(other.texts) { mine, theirs in
                    guard let mine, let theirs else { return mine == nil && theirs == nil }
                    return mine.isExactly(theirs)
                }
        }
    }

    /// Changes remark and groups of a friend on `owner`'s side.
    ///
    /// - Returns: ``FriendStatus/success``, or the first of these that applies:
    ///   ``FriendStatus/accountNotFound``, ``FriendStatus/invalidParameter`` if the user is no
    ///   friend, ``FriendStatus/sensitiveText``, ``FriendStatus/groupLimit``.
    /// - Throws: ``StorageError`` if the store failed; nothing has then been written.
    package static func update(
        _ change: Change, of owner: UserID, in ledger: Ledger
    ) throws(StorageError) -> Outcome {
        guard try ledger.head(of: change.user) != nil else {
            return Outcome(.accountNotFound, Reason.FriendUpdate.accountNotExist)
        }
        let known = try Friendship.record(
            change.user, of: owner, app: ledger.app, in: ledger.transaction)
        guard let old = known else {
            return Outcome(.invalidParameter, Reason.FriendUpdate.friendNotExist)
        }
        var row = old
        let texts = [change.remark ?? ""] + (change.groups ?? [])
        guard !texts.contains(where: ledger.settings.forbids) else {
            return Outcome(.sensitiveText, Reason.FriendUpdate.sensitiveText)
        }
        if let groups = change.groups {
            guard try Groups.fit(groups, of: owner, in: ledger) else {
                return Outcome(.groupLimit, Reason.FriendUpdate.groupLimit)
            }
            try Groups.move(change.user, of: owner, from: row.groups, to: groups, in: ledger)
            row.groups = groups
        }
        if let remark = change.remark, !remark.isExactly(row.remark) {
            row.remark = remark
            row.remarkTimeMs = ledger.now.milliseconds
        }
        // An update that changes nothing is done, and nobody is told.
        guard try Tables.friends.differ(row, old, in: ledger.transaction) else { return .success }
        try Friendship.write(
            row, change.user, of: owner, telling: .friendChange, in: ledger)
        return .success
    }
}

extension Relation {
    fileprivate init(mine: Bool, theirs: Bool) {
        switch (mine, theirs) {
        case (false, false): self = .none
        case (true, false): self = .myUni
        case (false, true): self = .otherUni
        case (true, true): self = .bothWay
        }
    }
}
