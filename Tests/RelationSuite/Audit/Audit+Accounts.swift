import RelationCore
import RelationModel
import Storage

extension Audit {
    /// Checks the mentions in each user's partition.
    ///
    /// They name exactly the users that have it on a list although its own lists do not say so, its
    /// friends that do not have it, and the users that mute or ignore it.
    mutating func checkBackReferences() throws(StorageError) {
        let accounts = try world.directory(limit: 100_000)
        var wanted: [UserID: Set<Mention>] = [:]
        for owner in accounts { try addBackReferences(by: owner, to: &wanted) }
        // Two deletions at the same time do not wait for each other.
        var possible = wanted
        for owner in Set(users).subtracting(accounts) {
            try addBackReferences(by: owner, to: &possible)
        }
        for user in users {
            let found = Set(try world.rows(of: Tables.mentions, of: user).map(\.key))
            let least = wanted[user] ?? []
            let spare = (possible[user] ?? []).subtracting(least)
            expectSame(found.subtracting(spare), least, user, "the mentions")
            try checkReverseFriends(user, found)
        }
    }

    /// Checks the counter of the users that have `user` as a friend without being its friends, if
    /// the app keeps it, and when the list last changed.
    private mutating func checkReverseFriends(
        _ user: UserID, _ mentions: Set<Mention>
    ) throws(StorageError) {
        guard world.settings.reportsReverseFriends,
            let userRecord = try world.userRecord(of: user)
        else { return }
        let rows = Int64(mentions.count { $0.list == .friends })
        if let counter = try world.rows(of: Tables.reverseCounts, of: user).first?.record,
            counter.epoch == world.settings.reverseEpoch
        {
            expect(counter.isKnown, user, "the count of reverse friends is not known")
            expectSame(counter.count, rows, user, "the count of reverse friends")
        }
        let last = try world.log(of: user).last { $0.1.kind == .reverseFriendsChanged }
        expectLast(
            last?.sequence, userRecord.reverseFriendsSequence, userRecord, user, "reverse friends")
    }

    private func addBackReferences(
        by owner: UserID, to wanted: inout [UserID: Set<Mention>]
    ) throws(StorageError) {
        for user in try world.friends(of: owner) where try world.friend(owner, of: user) == nil {
            wanted[user, default: []].insert(Mention(.friends, owner))
            wanted[owner, default: []].insert(Mention(.unreturned, user))
        }
        for row in try world.rows(of: Tables.friends, of: owner)
        where row.record.muteUntilMs != 0 || row.record.ignored {
            wanted[row.key, default: []].insert(Mention(.muting, owner))
        }
        for row in try world.rows(of: Tables.blacklist, of: owner) {
            wanted[row.key, default: []].insert(Mention(.blacklist, owner))
        }
        for row in try world.rows(of: Tables.pendencies, of: owner) {
            let isComeIn = row.key.type == .comeIn
            let other = try world.pendency(
                isComeIn ? .sendOut : .comeIn, with: owner, of: row.key.user)
            guard other == nil else { continue }
            wanted[row.key.user, default: []].insert(
                Mention(isComeIn ? .comeIn : .sendOut, owner))
        }
    }

    /// Compares the index of unique identifiers with the profiles.
    mutating func checkUniqueIDs() throws(StorageError) {
        var wanted: [String: String] = [:]
        for user in try world.directory(limit: 100_000) {
            guard let id = try world.profile(of: user).uniqueID else { continue }
            if wanted.updateValue(user.text, forKey: id) != nil { note("two users are \(id)") }
        }
        var found: [String: String] = [:]
        for row in try world.rows(of: Tables.uniqueIDs, in: world.app.uniqueIDs) {
            found[row.key.text] = row.record.userID
        }
        if found != wanted { note("unique ids are \(found) instead of \(wanted)") }
    }

    /// Compares the counts of the app and the directory with the user records.
    mutating func checkCounts() throws(StorageError) {
        var wanted = FeedState()
        let everyone = try world.directory(limit: 100_000)
        for user in everyone { wanted.count(try world.userRecord(of: user), 1) }
        for user in Set(users).union(everyone) {
            let isAccount = try world.userRecord(of: user) != nil
            expectSame(everyone.contains(user), isAccount, user, "being in the directory")
        }
        var found = try world.feedState()
        (found.position, found.events) = (0, 0)
        (found.trimmedTo, found.feedFloor) = (0, 0)
        // The highest numbers of erased users are known from nowhere else.
        (found.erasedSequence, found.erasedVersion) = (0, 0)
        if found != wanted { note("the app counts \(found) instead of \(wanted)") }
    }
}
