package import RelationModel
import Storage

/// The deletion of an account: at once for every caller, in steps for its rows.
///
/// The account's user record is removed first: from then on no rule finds the user, and no new row
/// names it. Then each user with a row that names it loses that row and is notified. In the end the
/// user's own rows are removed without events, since no device is left to be notified.
package enum AccountDeletion {
    /// The outcome of an attempt to delete an account.
    package enum Start: Equatable {
        /// The deletion has this number.
        case started(UInt64)
        /// The deletion with this number is not finished yet.
        case isRunning(UInt64)
        /// The deletion with this number is not finished yet, and goes on with an erasure now.
        case joined(UInt64)
        case noAccount
    }

    /// The wish that a deletion goes on with the erasure of what others have of the user.
    package struct Erasing: Equatable, Sendable {
        /// The digest of the user's id that the receipt has; empty for none.
        package let digest: String

        package init(digest: String) {
            self.digest = digest
        }
    }

    /// Removes `user` from the app's accounts, and leaves its rows to ``step(_:_:in:)``.
    ///
    /// - Parameter erasing: Whether to erase what others have of the user after that. A deletion
    ///   that runs already takes the wish up; of an account that was deleted before, what it has
    ///   left is erased.
    package static func start(
        _ user: UserID, erasing: Erasing? = nil, in ledger: Ledger
    ) throws(StorageError) -> Start {
        let partition = ledger.partition(of: user)
        let transaction = ledger.transaction
        try EndIndex.applications.move(user, to: 0, in: ledger)
        try EndIndex.subscriptions.move(user, to: 0, in: ledger)
        try EndIndex.invitations.move(user, to: 0, in: ledger)
        if let userRecord = try ledger.userRecord(of: user),
            userRecord.suspensionLevel != .unspecified
        {
            var keys = KeyList()
            Suspensions.keys(of: [user], app: ledger.app, into: &keys)
            try ledger.fetch(keys)
            try Suspensions.remove(of: user, in: ledger)
        }
        guard var userRecord = try ledger.userRecord(of: user) else {
            let departed = try Tables.departed.record(partition, OnlyKey(), in: transaction)
            guard var departed else { return .noAccount }
            guard departed.deletion == 0 else {
                if let erasing, try Erasure.join(departed.deletion, erasing, in: ledger) {
                    return .joined(departed.deletion)
                }
                return .isRunning(departed.deletion)
            }
            guard let erasing else { return .noAccount }
            departed.deletion = try Erasure.begin(user, erasing, in: ledger)
            try Tables.departed.set(departed, at: partition, OnlyKey(), in: transaction)
            return .started(departed.deletion)
        }
        var job = JobRecord()
        job.app = ledger.app.id
        job.userID = user.text
        let number = try Jobs.add(job, in: transaction)

        let isSeen = userRecord.seenDeviceCount > 0
        if isSeen { Tables.seenDevices.remove(partition, OnlyKey(), in: transaction) }
        userRecord.beginAnew(after: ledger.settings.history.floor)
        var departed = DepartedRecord()
        departed.userRecord = userRecord
        let profile = try Profiles.record(of: user, app: ledger.app, in: transaction)
        departed.profileVersion = profile.version
        departed.deletion = number
        try Tables.departed.set(departed, at: partition, OnlyKey(), in: transaction)
        // The rows of its nick, while the user is an account whose choices are known.
        try FoundNames.move(user, from: profile, to: nil, in: ledger)
        _ = try ledger.notifyApp(.accountDeleted, ChangeItemRecord(about: user), about: user)
        try ledger.removeUserRecord(of: user)
        Tables.directory.remove(Directory.partition(of: user, ledger.app), user, in: transaction)
        try Profiles.releaseUniqueID(of: user, in: ledger)
        try Reviews.removeEntries(profile.reviews, in: ledger)
        Tables.profiles.remove(partition, OnlyKey(), in: transaction)

        var deletion = DeletionRecord()
        deletion.userID = user.text
        deletion.state = .running
        deletion.startedMs = ledger.now.milliseconds
        // The user record and the entry in the directory, and the rows that not all users have.
        deletion.rowsRemoved = 2 + (departed.profileVersion > 0 ? 1 : 0) + (isSeen ? 1 : 0)
        if let erasing { (deletion.erases, deletion.digest) = (true, erasing.digest) }
        try Tables.deletions.set(
            deletion, at: ledger.app.maintenance, number, in: transaction)
        return .started(number)
    }

    /// The deletion of that number, or nil if there was none or it ended long ago.
    package static func record(
        _ number: UInt64, of app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> DeletionRecord? {
        try Tables.deletions.record(app.maintenance, number, in: transaction)
    }

    /// Removes the next rows of `user`, and the next rows that name it.
    ///
    /// - Returns: Whether no such row is left.
    static func step(
        _ user: UserID, _ number: UInt64, in ledger: Ledger
    ) throws(StorageError) -> Bool {
        let transaction = ledger.transaction
        let partition = ledger.partition(of: user)
        guard
            var departed = try Tables.departed.record(partition, OnlyKey(), in: transaction),
            var deletion = try Tables.deletions.record(
                ledger.app.maintenance, number, in: transaction)
        else {
            throw StorageError(.corrupted, "a deletion has no record")
        }
        // An erased user would stand in it, and a user that is gone has no relation to restore.
        ledger.omitHistory()
        var left = Limits.rowsPerMaintenanceStep
        try removeReviews(user, &left, in: ledger)
        try removeFriends(user, &left, in: ledger)
        try removeBackReferences(user, &left, in: ledger)
        try removeBlacklist(user, &left, in: ledger)
        try removeApplications(user, &left, in: ledger)
        try removeSubscriptions(user, &left, in: ledger)
        try removeSubscribers(user, &left, in: ledger)
        try removeFollowing(user, &left, in: ledger)
        try removeFollowers(user, &left, in: ledger)
        try removeInvitations(user, &left, in: ledger)
        try removeDismissals(user, &left, in: ledger)
        try removeReports(user, &left, of: &deletion, in: ledger)
        try removeContacts(user, &left, in: ledger)
        try removeHistory(user, &left, in: ledger)
        try sweep(partition, &left, in: ledger)
        deletion.rowsRemoved += Int64(Limits.rowsPerMaintenanceStep - left)
        let isFinished = left > 0
        if isFinished, deletion.erases {
            // Until the erasure is done too, no account of the id is made.
            try Erasure.add(user, number, in: ledger)
        } else if isFinished {
            departed.deletion = 0
            try Tables.departed.set(departed, at: partition, OnlyKey(), in: transaction)
            deletion.state = .done
            deletion.finishedMs = ledger.now.milliseconds
        }
        try Tables.deletions.set(deletion, at: ledger.app.maintenance, number, in: transaction)
        return isFinished
    }

    /// Removes the reviews of the user's rows of friends.
    private static func removeReviews(
        _ user: UserID, _ left: inout Int, in ledger: Ledger
    ) throws(StorageError) {
        let partition = ledger.partition(of: user)
        let table = Tables.friendReviews
        let rows = Limits.reviewsOfFriend + 1
        for (friend, record) in try first(&left, of: table, partition, ledger, rows: rows) {
            try Reviews.removeEntries(record.reviews, in: ledger)
            table.remove(partition, friend, in: ledger.transaction)
        }
    }

    /// Removes the friendships of the user on both sides.
    private static func removeFriends(
        _ user: UserID, _ left: inout Int, in ledger: Ledger
    ) throws(StorageError) {
        let partition = ledger.partition(of: user)
        for (friend, _) in try first(&left, of: Tables.friends, partition, ledger, rows: 6) {
            Tables.friends.remove(partition, friend, in: ledger.transaction)
            BackReferences.remove(user, of: friend, on: .friends, in: ledger)
            BackReferences.remove(user, of: friend, on: .muting, in: ledger)
            // A friend whose account is being deleted too loses its own rows by that deletion.
            guard try ledger.userRecord(of: friend) != nil else { continue }
            guard try !Friendship.remove(user, of: friend, in: ledger) else { continue }
            try ReverseCounts.note(user, of: friend, isThere: false, in: ledger)
        }
    }

    /// Removes the user from the lists of others that its own lists do not name.
    private static func removeBackReferences(
        _ user: UserID, _ left: inout Int, in ledger: Ledger
    ) throws(StorageError) {
        let partition = ledger.partition(of: user)
        for (mention, _) in try first(&left, of: Tables.mentions, partition, ledger, rows: 3) {
            Tables.mentions.remove(partition, mention, in: ledger.transaction)
            guard try ledger.userRecord(of: mention.owner) != nil else { continue }
            switch mention.list {
            case .friends: _ = try Friendship.remove(user, of: mention.owner, in: ledger)
            case .blacklist: _ = try Blacklist.drop(user, from: mention.owner, in: ledger)
            case .comeIn:
                try Applications.end(from: user, to: mention.owner, .withdrawn, in: ledger)
            case .sendOut:
                try Applications.end(from: mention.owner, to: user, .refused, in: ledger)
            case .unreturned, .muting: break
            }
        }
    }

    /// Removes the user's blacklist.
    private static func removeBlacklist(
        _ user: UserID, _ left: inout Int, in ledger: Ledger
    ) throws(StorageError) {
        let partition = ledger.partition(of: user)
        for (other, _) in try first(&left, of: Tables.blacklist, partition, ledger, rows: 2) {
            Tables.blacklist.remove(partition, other, in: ledger.transaction)
            BackReferences.remove(user, of: other, on: .blacklist, in: ledger)
        }
    }

    /// Ends the user's applications: those that it sent as withdrawn, those that it received as
    /// refused.
    private static func removeApplications(
        _ user: UserID, _ left: inout Int, in ledger: Ledger
    ) throws(StorageError) {
        let partition = ledger.partition(of: user)
        for (key, _) in try first(&left, of: Tables.pendencies, partition, ledger, rows: 5) {
            Tables.pendencies.remove(partition, key, in: ledger.transaction)
            try Applications.forget(key, of: user, in: ledger)
            if key.type == .sendOut {
                try Applications.end(from: user, to: key.user, .withdrawn, in: ledger)
            } else {
                try Applications.end(from: key.user, to: user, .refused, in: ledger)
            }
        }
    }

    /// Ends the subscriptions of the user.
    private static func removeSubscriptions(
        _ user: UserID, _ left: inout Int, in ledger: Ledger
    ) throws(StorageError) {
        let partition = ledger.partition(of: user)
        let rows = try first(&left, of: Tables.subscriptions, partition, ledger, rows: 5)
        for (key, _) in rows {
            _ = try Subscriptions.end(key, of: user, .subscriptionChanged, in: ledger)
        }
    }

    /// Ends the subscriptions to the user.
    private static func removeSubscribers(
        _ user: UserID, _ left: inout Int, in ledger: Ledger
    ) throws(StorageError) {
        let partition = ledger.partition(of: user)
        for (end, _) in try first(&left, of: Tables.subscribers, partition, ledger, rows: 6) {
            _ = try Subscriptions.end(
                SubscriptionKey(end.type, user), of: end.user, .subscriptionChanged, in: ledger)
            // The index may name a subscriber that has no subscription: that row is removed too.
            try Subscriptions.dropSubscriber(end, of: user, in: ledger)
        }
    }

    /// Ends the user's follows of others.
    private static func removeFollowing(
        _ user: UserID, _ left: inout Int, in ledger: Ledger
    ) throws(StorageError) {
        let partition = ledger.partition(of: user)
        let rows = try first(&left, of: Tables.follows, partition, ledger, rows: 8)
        try fetchFollows(of: user, with: rows.map(\.0), in: ledger)
        for (other, _) in rows { try Follows.end(from: user, to: other, in: ledger) }
    }

    /// Ends the follows of the user by others, of which no follow of its own is left.
    private static func removeFollowers(
        _ user: UserID, _ left: inout Int, in ledger: Ledger
    ) throws(StorageError) {
        let partition = ledger.partition(of: user)
        let rows = try first(&left, of: Tables.followsByTime, partition, ledger, rows: 6)
        try fetchFollows(of: user, with: rows.map(\.0.user), in: ledger)
        for (listed, _) in rows {
            if listed.list == .followers {
                try Follows.end(from: listed.user, to: user, in: ledger)
            }
            // The index may name a follow that is none: that row is removed too.
            Tables.followsByTime.remove(partition, listed, in: ledger.transaction)
        }
    }

    /// Fetches together the rows that ending the follows between `user` and `others` reads.
    private static func fetchFollows(
        of user: UserID, with others: [UserID], in ledger: Ledger
    ) throws(StorageError) {
        guard !others.isEmpty else { return }
        var keys = KeyList()
        Tables.followCounts.add(ledger.partition(of: user), OnlyKey(), to: &keys)
        for other in others {
            Follows.keysForPair(user, other, app: ledger.app, into: &keys)
            Tables.followCounts.add(ledger.partition(of: other), OnlyKey(), to: &keys)
            Tables.userRecords.add(ledger.partition(of: other), OnlyKey(), to: &keys)
        }
        try ledger.fetch(keys)
    }

    /// Removes the invitations of the user.
    private static func removeInvitations(
        _ user: UserID, _ left: inout Int, in ledger: Ledger
    ) throws(StorageError) {
        let partition = ledger.partition(of: user)
        for (id, _) in try first(&left, of: Tables.invitations, partition, ledger, rows: 2) {
            Invitations.remove(id, of: user, in: ledger)
        }
    }

    /// Removes the dismissals of the user, and those of it by others.
    private static func removeDismissals(
        _ user: UserID, _ left: inout Int, in ledger: Ledger
    ) throws(StorageError) {
        let partition = ledger.partition(of: user)
        for (other, _) in try first(&left, of: Tables.dismissals, partition, ledger, rows: 2) {
            try Dismissals.remove(other, of: user, in: ledger)
        }
        for (owner, _) in try first(&left, of: Tables.dismissers, partition, ledger, rows: 3) {
            try Dismissals.remove(user, of: owner, in: ledger)
            // The index may name a user that has not dismissed this one: that row goes too.
            Tables.dismissers.remove(partition, owner, in: ledger.transaction)
        }
    }

    /// Removes the reports about the user, and its id from those that it made; with an erasure its
    /// texts too, unless the app keeps them.
    private static func removeReports(
        _ user: UserID, _ left: inout Int, of deletion: inout DeletionRecord, in ledger: Ledger
    ) throws(StorageError) {
        let keepsTexts = ledger.settings.erasure.keepsReports
        let partition = ledger.partition(of: user)
        for (number, record) in try first(&left, of: Tables.reports, partition, ledger, rows: 4) {
            try Reports.remove(number, record, in: ledger)
        }
        for (reported, record) in try first(
            &left, of: Tables.madeReports, partition, ledger, rows: 2)
        {
            Tables.madeReports.remove(partition, reported, in: ledger.transaction)
            let untilMs = try Reports.forget(
                reporterOf: record.number, about: reported,
                withTexts: deletion.erases && !keepsTexts, in: ledger)
            guard deletion.erases, let untilMs else { continue }
            if keepsTexts {
                var kept = deletion.kept ?? ErasureKept()
                kept.reportsUntilMs = max(kept.reportsUntilMs, untilMs)
                deletion.kept = kept
            } else {
                var tally = deletion.tally ?? ErasureTally()
                tally.reports += 1
                deletion.tally = tally
            }
        }
    }

    /// Removes the digests of the user's contacts.
    private static func removeContacts(
        _ user: UserID, _ left: inout Int, in ledger: Ledger
    ) throws(StorageError) {
        // Each digest has a row of the index, and the user one row with all of them.
        let rows = 2 * Limits.contactDigests + 1
        guard left >= rows else {
            left = 0
            return
        }
        guard
            try Tables.contactDigests.contains(
                ledger.partition(of: user), OnlyKey(), in: ledger.transaction)
        else { return }
        try Contacts.removeAll(of: user, in: ledger)
        left -= rows
    }

    /// Removes the entries of the app's history that name the user.
    private static func removeHistory(
        _ user: UserID, _ left: inout Int, in ledger: Ledger
    ) throws(StorageError) {
        // An entry has up to five rows, and their number is written with them.
        let limit = left / 6
        guard limit > 0 else {
            let table = Tables.historyOfUsers
            if try !table.isEmpty(ledger.partition(of: user), in: ledger.transaction) { left = 0 }
            return
        }
        let count = try HistoryLog.forget(user, limit: limit, in: ledger)
        left = count == limit ? 0 : left - 6 * count
    }

    /// Removes the user's own rows, except the one that the next account of the id needs.
    private static func sweep(
        _ partition: Partition, _ left: inout Int, in ledger: Ledger
    ) throws(StorageError) {
        let ranges = UserRows.ranges(of: partition, keeping: [Tables.departed.kind])
        for range in ranges where left > 0 {
            left -= try ledger.transaction.removeRows(of: range, limit: left)
        }
    }

    /// The first rows of a table, as many as the step has room for.
    ///
    /// - Parameter rows: The number of rows that the removal of one of them writes, indexes
    ///   included.
    private static func first<TableKey, Record>(
        _ left: inout Int, of table: Table<TableKey, Record>, _ partition: Partition,
        _ ledger: Ledger, rows: Int
    ) throws(StorageError) -> [(TableKey, Record)] {
        var found: [(TableKey, Record)] = []
        var isBroken = false
        let transaction = ledger.transaction
        let limit = left / rows
        guard limit > 0 else {
            // There is too little room for one of these rows: the next step has all its room for
            // them.
            if try !table.isEmpty(partition, in: transaction) { left = 0 }
            return []
        }
        try table.scan(table.all(of: partition), limit: limit, in: transaction) { key, bytes in
            guard let record = table.decode(bytes, in: transaction.arena) else {
                isBroken = true
                return .stop
            }
            found.append((key, record))
            return .more
        }
        if isBroken { throw StorageError(.corrupted, "a row of a deleted user does not decode") }
        // The rest of the room is for rows of other tables only if there are no more of these.
        left = found.count == limit ? 0 : left - found.count * rows
        return found
    }
}

extension Table {
    fileprivate func isEmpty(
        _ partition: Partition, in transaction: any ReadTransaction
    ) throws(StorageError) -> Bool {
        var isEmpty = true
        try transaction.scan(all(of: partition), .ascending, limit: 1) { _, _ in
            isEmpty = false
            return .stop
        }
        return isEmpty
    }
}

extension AccountDeletion {
    /// Adds the rows that the beginning of the deletion of `users` reads.
    package static func keys(of users: [UserID], app: App, into keys: inout KeyList) {
        Jobs.keys(into: &keys)
        for user in users {
            Accounts.keysForCreating(user, app: app, into: &keys)
            Tables.profiles.add(app.partition(of: user), OnlyKey(), to: &keys)
        }
    }
}
