import Protobuf
package import RelationModel
import Storage

/// An export of everything that an app's users have, in an order in which a reader can go on after
/// any row.
///
/// It goes from account to account by the directory, so it leaves out rows that a deletion has not
/// removed yet. Of each account it reads only the lists that are not empty, as far as they are
/// counted.
package enum AppExport {
    /// One row of one user.
    package struct Row {
        package let user: UserID
        package let content: Content
    }

    /// The records of a row of an export, by its kind.
    package enum Content {
        case account(UserRecord)
        case profile(ProfileRecord)
        case friend(FriendRecord, reviews: [ReviewRecord])
        case group(String, GroupRecord)
        case pendency(PendencyType, PendencyRecord, reviews: [ReviewRecord])
        case handled(HandledKey, PendencyRecord)
        case blacklisted(BlacklistRecord)
        case consent(GrantRecord)
        case subscription(SubscriptionRecord)
        case follow(FollowRecord)
        case invitation(InvitationRecord)
        case invitationUse(InvitationUse)
        case dismissal(DismissalRecord)
        case status(StatusRecord)
        case suspension(SuspensionRecord)
        case report(ReportRecord)
        case contactDigests(ContactDigestsRecord)
        case seenDevices(SeenDevicesRecord)
    }

    /// The lists of a user, in the order in which they are sent.
    package enum Section: UInt8, CaseIterable, Sendable {
        case account = 1
        // An import needs the groups before the rows of friends that name them.
        case groups, friends, pendencies, handled, blacklist, consent, subscriptions, follows
        case invitations = 40
        case invitationUses
        case dismissals = 70
        case statuses
        case contactDigests = 74
        case suspensions = 77
        case reports
        case seenDevices = 120
    }

    /// The position of an export: after the row at `rowKey` of the section or, without a section,
    /// after all rows of the user.
    package struct Position: Equatable, Sendable {
        package var user: UserID
        package var section: Section?
        package var rowKey: [UInt8] = []

        package init(user: UserID, section: Section?, rowKey: [UInt8] = []) {
            self.user = user
            self.section = section
            self.rowKey = rowKey
        }
    }

    /// Some rows in their order, and the position at which the next ones begin.
    package struct Batch {
        package internal(set) var rows: [Row] = []
        /// The position after the last row; the old position if there is no row.
        package internal(set) var position: Position?
        package fileprivate(set) var isLast = false
        fileprivate let limit: Int
        fileprivate let sections: [Section]
        var bytes = 0

        fileprivate init(limit: Int, sections: [Section]) {
            self.limit = limit
            self.sections = sections
        }

        fileprivate var isFull: Bool {
            rows.count >= limit || bytes >= Limits.exportBytes
        }

        /// Puts a row with its reviews in the place of the row without them.
        ///
        /// - Parameters:
        ///   - section: The row's section.
        ///   - rowKey: The row's key.
        /// - Returns: False if the batch is full then, and ends before the other rows.
        mutating func replace(
            _ index: Int, by content: Content, growingBy growth: Int, _ section: Section,
            _ rowKey: [UInt8]
        ) -> Bool {
            let user = rows[index].user
            rows[index] = Row(user: user, content: content)
            bytes += growth
            guard bytes >= Limits.exportBytes, index + 1 < rows.count else { return true }
            // The other rows may have long reviews too: they begin the next batch.
            rows.removeSubrange((index + 1)...)
            position = Position(user: user, section: section, rowKey: rowKey)
            return false
        }
    }

    /// The next rows after `position`, roughly `limit` of them; without a position, those of the
    /// first accounts.
    ///
    /// - Parameters:
    ///   - users: The users to export, in ascending order; nil for all users.
    ///   - sections: The lists to export; accounts and profiles are always exported.
    package static func next(
        of app: App, users: [UserID]? = nil, sections: [Section] = Section.allCases,
        after position: Position?, limit: Int = Limits.exportRows,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> Batch {
        var batch = Batch(limit: limit, sections: sections)
        batch.position = position
        if let position, let section = position.section {
            let userRecord = try Tables.userRecords.record(
                app.partition(of: position.user), OnlyKey(), in: transaction)
            if let userRecord {
                try add(
                    position.user, userRecord, from: section, after: position.rowKey, app, &batch,
                    transaction)
            }
        }
        while !batch.isFull {
            let room = min(Limits.defaultPageRows, limit - batch.rows.count)
            let last = batch.position?.user
            let users: [UserID] =
                if let users {
                    users.page(after: last, limit: room)
                } else {
                    try Directory.page(of: app, after: last, limit: room, in: transaction)
                }
            guard !users.isEmpty else {
                batch.isLast = true
                return batch
            }
            var keys = KeyList()
            Accounts.userRecords(of: users, app: app, into: &keys)
            for (user, userRecord) in zip(
                users, try Tables.userRecords.records(keys, in: transaction))
            {
                guard !batch.isFull else { return batch }
                guard let userRecord else {
                    // A user in the list that is not an account has no rows. The position moves
                    // after it.
                    batch.position = Position(user: user, section: nil)
                    continue
                }
                try add(user, userRecord, app, &batch, transaction)
            }
        }
        return batch
    }

    /// Adds the rows of `user`, beginning with its account.
    private static func add(
        _ user: UserID, _ userRecord: UserRecord, _ app: App, _ batch: inout Batch,
        _ transaction: any ReadTransaction
    ) throws(StorageError) {
        batch.rows.append(Row(user: user, content: .account(userRecord)))
        let profile = try Tables.profiles.record(
            app.partition(of: user), OnlyKey(), in: transaction)
        if let profile {
            batch.rows.append(Row(user: user, content: .profile(profile)))
            batch.bytes += profile.bytesAtMost
        }
        batch.position = Position(user: user, section: .account)
        try add(user, userRecord, from: .account, after: [], app, &batch, transaction)
    }

    /// Adds the rows of `user` after `rowKey` of `section`, until the batch is full.
    private static func add(
        _ user: UserID, _ userRecord: UserRecord, from section: Section, after rowKey: [UInt8],
        _ app: App, _ batch: inout Batch, _ transaction: any ReadTransaction
    ) throws(StorageError) {
        for next in batch.sections where next.rawValue >= section.rawValue {
            guard next.mayHaveRows(of: userRecord) else { continue }
            let rowKey = next == section ? rowKey : []
            guard try add(next, of: user, after: rowKey, app, &batch, transaction) else { return }
        }
        batch.position = Position(user: user, section: nil)
    }

    /// Adds the rows of one section after `rowKey`.
    ///
    /// - Returns: Whether the batch has room for more rows after all rows of the section.
    private static func add(
        _ section: Section, of user: UserID, after rowKey: [UInt8], _ app: App,
        _ batch: inout Batch, _ transaction: any ReadTransaction
    ) throws(StorageError) -> Bool {
        func all<TableKey: RowKey, Record>(
            of table: Table<TableKey, Record>, _ content: (TableKey, Record) -> Content
        ) throws(StorageError) -> Bool {
            try scan(table, section, rowKey, app.partition(of: user), &batch, transaction) {
                Row(user: user, content: content($0, $1))
            }
        }
        return switch section {
        // The row of the account is there before its other rows.
        case .account: true
        case .friends:
            try addFriends(of: user, after: rowKey, app, &batch, transaction)
        case .groups: try all(of: Tables.groups) { .group($0.text, $1) }
        case .pendencies:
            try addApplications(of: user, after: rowKey, app, &batch, transaction)
        case .handled: try all(of: Tables.handledApplications) { .handled($0, $1) }
        case .blacklist: try all(of: Tables.blacklist) { .blacklisted($1) }
        case .consent: try all(of: Tables.grants) { .consent($1) }
        case .subscriptions: try all(of: Tables.subscriptions) { .subscription($1) }
        case .follows: try all(of: Tables.follows) { .follow($1) }
        case .invitations: try all(of: Tables.invitations) { .invitation($1) }
        case .invitationUses: try all(of: Tables.invitationUses) { use, _ in .invitationUse(use) }
        case .dismissals: try all(of: Tables.dismissals) { .dismissal($1) }
        case .statuses:
            try addOnly(of: Tables.statuses, section, user, rowKey, app, &batch, transaction) {
                .status($0)
            }
        case .contactDigests:
            try addOnly(
                of: Tables.contactDigests, section, user, rowKey, app, &batch, transaction
            ) { .contactDigests($0) }
        case .suspensions:
            try addOnly(of: Tables.suspensions, section, user, rowKey, app, &batch, transaction) {
                .suspension($0)
            }
        case .reports: try all(of: Tables.reports) { .report($1) }
        case .seenDevices:
            try addOnly(of: Tables.seenDevices, section, user, rowKey, app, &batch, transaction) {
                .seenDevices($0)
            }
        }
    }

    /// Adds the user's rows of friends, with the reviews of their fields.
    ///
    /// - Returns: Whether the batch has room for more rows after all of them.
    private static func addFriends(
        of user: UserID, after rowKey: [UInt8], _ app: App, _ batch: inout Batch,
        _ transaction: any ReadTransaction
    ) throws(StorageError) -> Bool {
        let partition = app.partition(of: user)
        let start = batch.rows.count
        let isDone = try scan(
            Tables.friends, .friends, rowKey, partition, &batch, transaction
        ) { Row(user: user, content: .friend($1, reviews: [])) }
        let hasRoom = try addReviews(
            from: start, partition, app, &batch, transaction, adding: addFriendReviews)
        return hasRoom && isDone
    }

    /// Adds reviews to the rows from `start` on, some rows at a time, if the user has any.
    ///
    /// - Parameter add: Adds those of some rows; false if the batch is full.
    /// - Returns: False if the batch is full, and ends before the other rows.
    static func addReviews(
        from start: Int, _ partition: Partition, _ app: App, _ batch: inout Batch,
        _ transaction: any ReadTransaction,
        adding add: (Range<Int>, Partition, inout Batch, any ReadTransaction)
            throws(StorageError) -> Bool
    ) throws(StorageError) -> Bool {
        let userRecord = try Tables.userRecords.record(partition, OnlyKey(), in: transaction)
        guard userRecord?.friendReviewCount ?? 0 > 0 else { return true }
        let step = RowSizes(app.settings).reviewedRowsPerRead
        for first in stride(from: start, to: batch.rows.count, by: step) {
            let part = first..<min(first + step, batch.rows.count)
            guard try add(part, partition, &batch, transaction) else { return false }
        }
        return true
    }

    /// Adds the reviews to some rows of friends.
    ///
    /// - Returns: False if the batch is full, and ends before the other rows.
    private static func addFriendReviews(
        to part: Range<Int>, _ partition: Partition, _ batch: inout Batch,
        _ transaction: any ReadTransaction
    ) throws(StorageError) -> Bool {
        var (rows, keys): ([FriendRecord], KeyList) = ([], KeyList())
        for row in batch.rows[part] {
            guard case .friend(let row, _) = row.content else { continue }
            rows.append(row)
            Tables.friendReviews.add(partition, UserID(stored: row.userID), to: &keys)
        }
        let found = try Tables.friendReviews.records(keys, in: transaction)
        for (index, record) in zip(part, found) {
            guard let record else { continue }
            let row = rows[index - part.lowerBound]
            let hasRoom = batch.replace(
                index, by: .friend(row, reviews: record.reviews), growingBy: record.bytesAtMost,
                .friends, UserID(stored: row.userID).bytes)
            guard hasRoom else { return false }
        }
        return true
    }

    /// Adds the user's only row of a section; the position after it has a row key all the same.
    ///
    /// - Parameter rowKey: Not empty if the row was sent: its own key is empty.
    /// - Returns: Whether the batch has room for more rows after it.
    private static func addOnly<Record: CodedMessage>(
        of table: Table<OnlyKey, Record>, _ section: Section, _ user: UserID, _ rowKey: [UInt8],
        _ app: App, _ batch: inout Batch, _ transaction: any ReadTransaction,
        _ content: (Record) -> Content
    ) throws(StorageError) -> Bool {
        guard rowKey.isEmpty else { return true }
        guard !batch.isFull else { return false }
        let record = try table.record(app.partition(of: user), OnlyKey(), in: transaction)
        guard let record else { return true }
        batch.rows.append(Row(user: user, content: content(record)))
        batch.bytes += record.bytesAtMost
        batch.position = Position(user: user, section: section, rowKey: [0])
        return true
    }

    /// - Returns: Whether the batch has room for more rows after all rows of the table.
    static func scan<TableKey: RowKey, Record>(
        _ table: Table<TableKey, Record>, _ section: Section, _ last: [UInt8],
        _ partition: Partition, _ batch: inout Batch, _ transaction: any ReadTransaction,
        _ row: (TableKey, Record) -> Row
    ) throws(StorageError) -> Bool {
        let user: UserID? = batch.position?.user
        guard let user, !batch.isFull else { return false }
        let first = last.isEmpty ? [table.kind] : [table.kind] + last + [0]
        let range = KeyRange(in: partition, from: first, to: [table.kind + 1])
        var filling = batch
        var isBroken = false
        try table.scanBytes(range, limit: .max, in: transaction) { rowKey, bytes in
            guard !filling.isFull else { return .stop }
            guard let read = TableKey(reading: rowKey),
                let record = table.decode(bytes, in: transaction.arena)
            else {
                isBroken = true
                return .stop
            }
            filling.rows.append(row(read, record))
            filling.bytes += bytes.count
            filling.position = Position(user: user, section: section, rowKey: Array(rowKey))
            return .more
        }
        if isBroken { throw StorageError(.corrupted, "a row of an export does not decode") }
        batch = filling
        return !batch.isFull
    }
}

extension AppExport.Section {
    /// Whether a user has rows of the section, as far as the counts of its account tell.
    fileprivate func mayHaveRows(of userRecord: UserRecord) -> Bool {
        switch self {
        case .account: false
        case .friends: userRecord.friendCount > 0
        case .groups: userRecord.groupCount > 0
        case .pendencies: userRecord.comeInCount + userRecord.sendOutCount > 0
        case .handled: userRecord.handledCount > 0
        case .blacklist: userRecord.blacklistCount > 0
        // The rows of these are not counted.
        case .consent, .statuses, .contactDigests: true
        case .subscriptions: userRecord.subscriptionCount > 0
        case .follows: userRecord.followingCount > 0
        case .invitations: userRecord.nextInvitationEndMs != 0
        case .invitationUses: userRecord.invitationUseCount > 0
        case .dismissals: userRecord.dismissalCount > 0
        case .suspensions: userRecord.suspensionLevel != .unspecified
        case .reports: userRecord.reportCount > 0
        case .seenDevices: userRecord.seenDeviceCount > 0
        }
    }
}

extension [UserID] {
    /// The first `limit` users after `position`, if the users are in ascending order.
    fileprivate func page(after position: UserID?, limit: Int) -> [UserID] {
        guard let position else { return Array(prefix(limit)) }
        return Array(drop { $0 <= position }.prefix(limit))
    }
}
