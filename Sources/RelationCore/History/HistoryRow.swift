package import RelationModel
import Storage

/// One row that a call changed, as an entry of a history has it.
package struct HistoryRow {
    /// The row before the call and after it; nil where there was none.
    package enum Content {
        case friend(FriendRecord?, FriendRecord?)
        case blacklist(BlacklistRecord?, BlacklistRecord?)
        case application(PendencyType, PendencyRecord?, PendencyRecord?)
        case follow(FollowRecord?, FollowRecord?)
        /// The names of a group.
        case group(String?, String?)
        case profile(ProfileDifference)
    }

    package let owner: UserID
    /// Nil for a row about its owner alone.
    package let other: UserID?
    package let content: Content

    /// The kind of the event that reports such a change.
    package var kind: ChangeKind {
        switch content {
        case .friend(nil, _): .addFriend
        case .friend(_, nil): .deleteFriend
        case .friend: .friendChange
        case .blacklist(_, nil): .deleteBlacklist
        case .blacklist: .addBlacklist
        case .application(_, _, nil): .deleteFriendRequest
        case .application: .addFriendRequest
        case .follow: .followingChanged
        case .group(nil, _): .groupCreated
        case .group(_, nil): .groupDeleted
        case .group: .groupRenamed
        case .profile: .profileChange
        }
    }
}

extension HistoryRecord {
    /// Whether the entry has a row that can be taken back: applications cannot.
    package var canBeTakenBack: Bool {
        changes.contains { UInt8(truncatingIfNeeded: $0.table) != Tables.pendencies.kind }
    }

    /// The rows that the entry has.
    package func rows(in transaction: any ReadTransaction) throws(StorageError) -> [HistoryRow] {
        var rows: [HistoryRow] = []
        for change in changes {
            guard let content = try Self.content(of: change, in: transaction) else { continue }
            let users = change.isOfOther ? Array(users.reversed()) : users
            rows.append(
                HistoryRow(
                    owner: users[0], other: users.count > 1 ? users[1] : nil, content: content))
        }
        return rows
    }

    /// Nil for a row of a table that a newer server has.
    private static func content(
        of change: HistoryChangeRecord, in transaction: any ReadTransaction
    ) throws(StorageError) -> HistoryRow.Content? {
        switch UInt8(truncatingIfNeeded: change.table) {
        case Tables.friends.kind:
            .friend(
                try record(change.before, of: Tables.friends, in: transaction),
                try record(change.after, of: Tables.friends, in: transaction))
        case Tables.blacklist.kind:
            .blacklist(
                try record(change.before, of: Tables.blacklist, in: transaction),
                try record(change.after, of: Tables.blacklist, in: transaction))
        case Tables.pendencies.kind:
            .application(
                change.pendencyType,
                try record(change.before, of: Tables.pendencies, in: transaction),
                try record(change.after, of: Tables.pendencies, in: transaction))
        case Tables.follows.kind:
            .follow(
                try record(change.before, of: Tables.follows, in: transaction),
                try record(change.after, of: Tables.follows, in: transaction))
        case Tables.groups.kind: .group(name(change.before), name(change.after))
        case Tables.profiles.kind:
            .profile(
                ProfileDifference(
                    before: try record(change.before, of: Tables.profiles, in: transaction)
                        ?? ProfileRecord(),
                    after: try record(change.after, of: Tables.profiles, in: transaction)
                        ?? ProfileRecord(),
                    paths: change.paths))
        default: nil
        }
    }

    private static func name(_ bytes: [UInt8]) -> String? {
        bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }

    private static func record<TableKey, Record>(
        _ bytes: [UInt8], of table: Table<TableKey, Record>, in transaction: any ReadTransaction
    ) throws(StorageError) -> Record? {
        guard !bytes.isEmpty else { return nil }
        let record = bytes.withUnsafeBytes { table.decode($0, in: transaction.arena) }
        guard let record else {
            throw StorageError(.corrupted, "a row in a history does not decode")
        }
        return record
    }
}
