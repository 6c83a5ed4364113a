package import RelationModel
import Storage

/// The writing of an export's rows into an app that was empty.
///
/// Each row goes through the writer of its table, so that indexes, counters, mentions and the feed
/// are as if calls had made it.
package enum AppImport {
    /// Whether the app of `ledger` has nothing of what an export brings, but for settings and
    /// credentials.
    package static func isEmpty(in ledger: Ledger) throws(StorageError) -> Bool {
        let counts = try Feed.state(of: ledger.app, in: ledger.transaction)
        guard counts.accounts == 0 else { return false }
        let app = try AppRules.record(of: ledger.app.id, in: ledger.transaction) ?? AppRecord()
        return !app.isImported && app.customFields.isEmpty && app.clientApps.isEmpty
            && app.permissions.isEmpty
    }

    /// Notes that an import has begun, so that no other one finds the app empty.
    package static func begin(in ledger: Ledger) throws(StorageError) {
        let old = try definition(nil, in: ledger)
        var app = old
        app.isImported = true
        // Clients may have what they kept of the app that was exported, or of one that was lost.
        app.history = old.history.renewed(at: ledger.now)
        try define(app, insteadOf: old, in: ledger)
    }

    /// The app as the rows so far have defined it.
    ///
    /// - Parameter draft: The app as a dry run has left it; nil before its first definition, and
    ///   for an import that writes.
    package static func definition(
        _ draft: AppRecord?, in ledger: Ledger
    ) throws(StorageError) -> AppRecord {
        if let draft { return draft }
        return try AppRules.record(of: ledger.app.id, in: ledger.transaction) ?? AppRecord()
    }

    /// Writes the app with a new definition; the ledger's ``Ledger/appChange`` has its settings.
    ///
    /// - Throws: ``StorageError`` if the store failed; nothing has then been written.
    package static func define(
        _ app: AppRecord, insteadOf old: AppRecord, in ledger: Ledger
    ) throws(StorageError) {
        try AppRules.replace(old, by: app, of: ledger.app.id, in: ledger)
    }

    /// Whether another user than `user` has the unique identifier `id`.
    package static func isTaken(
        _ id: String, byOtherThan user: UserID, in ledger: Ledger
    ) throws(StorageError) -> Bool {
        let owner = try Profiles.owner(
            of: UniqueID(stored: id), app: ledger.app, in: ledger.transaction)
        return owner.map { $0 != user } ?? false
    }

    /// Writes one row of `user`, which does not exist yet.
    ///
    /// - Precondition: The row stands where an export has it, and every field keeps its rule.
    /// - Returns: Whether it was written; it is not if there is an account of that id, or one that
    ///   is still being deleted.
    /// - Throws: ``StorageError`` if the store failed; nothing has then been written.
    package static func write(
        _ content: AppExport.Content, of user: UserID, in ledger: Ledger
    ) throws(StorageError) -> Bool {
        ledger.omitHistory()
        guard try writeRow(content, of: user, in: ledger) else { return false }
        // No entry tells of the row, so the history begins after it.
        if ledger.app.keepsHistory {
            try HistoryLog.begin(ledger.app, at: ledger.now, in: ledger.transaction)
        }
        return true
    }

    private static func writeRow(
        _ content: AppExport.Content, of user: UserID, in ledger: Ledger
    ) throws(StorageError) -> Bool {
        switch content {
        case .account(let userRecord): return try make(user, userRecord, in: ledger)
        case .profile(let record): try Profiles.restore(record, of: user, in: ledger)
        case .friend(let record, let reviews):
            let friend = UserID(stored: record.userID)
            try Friendship.restore(record, friend, of: user, with: reviews, in: ledger)
        case .group(let name, let record):
            try Groups.restore(
                name, number: record.number, createdMs: record.createdMs, of: user, in: ledger)
        case .pendency(let type, let record, let reviews):
            let other = UserID(stored: record.userID)
            try Applications.restore(record, type, with: other, of: user, in: ledger)
            try FriendReviews.restore(wordings: reviews, other, of: user, in: ledger)
        case .handled(let key, let record):
            try Applications.restore(record, ended: key, of: user, in: ledger)
        case .blacklisted(let record):
            let other = UserID(stored: record.userID)
            try Blacklist.insert(record, other, of: user, in: ledger)
        case .consent(let grant):
            let name = PermissionName(stored: grant.permission)
            try Consent.write(grant, name, of: user, ledger)
        case .subscription(let record):
            let key = SubscriptionKey(
                record.subscribeType, UserID(stored: record.userID))
            try Subscriptions.write(record, at: key, of: user, replacing: nil, in: ledger)
        case .follow(let record):
            let other = UserID(stored: record.userID)
            try Follows.insert(record, from: user, to: other, in: ledger)
        case .invitation(let record):
            guard let id = InvitationID(record.invitationID) else { return false }
            try Invitations.add(id, record, of: user, in: ledger)
        case .invitationUse(let use): try InvitationUses.restore(use, of: user, in: ledger)
        case .dismissal(let record):
            let other = UserID(stored: record.userID)
            try Dismissals.insert(record, other, of: user, in: ledger)
        case .status(let record): try Statuses.write(record, of: user, in: ledger)
        case .suspension(let record): try Suspensions.write(record, of: user, in: ledger)
        case .report(let record): try Reports.restore(record, in: ledger)
        case .contactDigests(let record): try Contacts.restore(record, of: user, in: ledger)
        case .seenDevices(let record): try LastSeen.write(record, of: user, in: ledger)
        }
        return true
    }

    private static func make(
        _ user: UserID, _ exported: UserRecord, in ledger: Ledger
    ) throws(StorageError) -> Bool {
        let creation = try Accounts.create(user, nick: "", faceURL: "", in: ledger)
        guard creation == .made else { return false }
        try ledger.changeUserRecord(of: user) { userRecord in
            userRecord.createdMs = exported.createdMs
            userRecord.readMarkMs = exported.readMarkMs
            // The newest application may be none of the rows, because an erasure has taken it. The
            // next one must be newer than the mark all the same.
            userRecord.lastPendencyMs = max(userRecord.lastPendencyMs, exported.readMarkMs)
            userRecord.applicationDay = exported.applicationDay
            userRecord.applicationsToday = exported.applicationsToday
            userRecord.formerSequence = exported.formerSequence
            userRecord.lastSeenMs = exported.lastSeenMs
        }
        let chosen = exported.findSettings
        if chosen != UserRecord().findSettings {
            let old = try ledger.userRecord(of: user)
            try FindSettingsRules.write(chosen, of: user, in: ledger)
            // The new account has an id that may be in the index, and no nick yet.
            if ledger.settings.findsIDBeginnings, let old,
                let new = try ledger.userRecord(of: user)
            {
                try FoundNames.move(user, from: old, to: new, in: ledger)
            }
        }
        try Applications.countHidden(of: user, in: ledger)
        return true
    }

    // MARK: Keys

    /// Adds the rows that ``isEmpty(in:)`` reads.
    package static func keysForOpening(_ app: App, into keys: inout KeyList) {
        AppRules.keys(of: app.id, into: &keys)
        Tables.feedStates.add(app.feed, OnlyKey(), to: &keys)
    }

    /// Adds the rows that writing a row of `user` reads, which may name another user.
    package static func keys(
        of section: AppExport.Section, _ user: UserID, _ other: UserID?, groups: [String] = [],
        uniqueID: String? = nil, app: App, into keys: inout KeyList
    ) {
        let partition = app.partition(of: user)
        Tables.userRecords.add(partition, OnlyKey(), to: &keys)
        Feed.addState(of: app, to: &keys)
        if app.keepsHistory {
            Tables.historyStarts.add(app.historyPartition, OnlyKey(), to: &keys)
        }
        for name in groups { Tables.groups.add(partition, GroupName(name), to: &keys) }
        if let uniqueID {
            Tables.uniqueIDs.add(app.uniqueIDs, UniqueID(stored: uniqueID), to: &keys)
        }
        switch section {
        case .account: Accounts.keysForCreating(user, app: app, into: &keys)
        case .friends:
            guard let other else { return }
            Friendship.keys(between: user, other, app: app, into: &keys)
        case .pendencies:
            guard let other else { return }
            Accounts.userRecords(of: [other], app: app, into: &keys)
            Applications.keys(between: user, other, app: app, into: &keys)
        case .subscriptions:
            guard let other else { return }
            Tables.subscriberCounts.add(app.partition(of: other), OnlyKey(), to: &keys)
        case .follows:
            guard let other else { return }
            Accounts.userRecords(of: [other], app: app, into: &keys)
            Follows.keysForPair(user, other, app: app, into: &keys)
            Tables.followCounts.add(partition, OnlyKey(), to: &keys)
            Tables.followCounts.add(app.partition(of: other), OnlyKey(), to: &keys)
        case .suspensions: Suspensions.keys(of: [user], app: app, into: &keys)
        case .reports: Tables.reportCounts.add(app.reports, OnlyKey(), to: &keys)
        case .groups, .handled, .blacklist, .consent, .invitations, .invitationUses,
            .dismissals, .statuses, .contactDigests, .seenDevices:
            break
        }
    }
}
