import RelationModel
import Storage
import Support

/// The tables and the keys of their rows in words, for administrators.
package enum TableWords {
    /// A table in words.
    struct Entry: Sendable {
        let kind: UInt8
        let name: String
        /// Whether its rows are those of one user each; else they are the app's as a whole.
        let isOfUser: Bool
        /// The row key in words; nil for bytes that are not key of the table.
        let words: @Sendable (UnsafeRawBufferPointer) -> String?
    }

    /// The row of `key`, without its value.
    static func row(of key: Key) -> WrittenEffects.Row {
        var row = WrittenEffects.Row()
        row.app = key.app
        guard let entry = entries[key.kind] else {
            // A table that this list forgot: a test compares it with all tables.
            row.table = "table 0x\(String(key.kind, radix: 16))"
            row.key = key.rowKey { String(hexadecimal: $0) }
            return row
        }
        row.table = entry.name
        if entry.isOfUser { row.owner = key.ownerText }
        row.key = key.rowKey { entry.words($0) ?? String(hexadecimal: $0) }
        return row
    }

    /// The names of all tables, by their kinds.
    package static var names: [UInt8: String] { entries.mapValues(\.name) }

    private static let entries: [UInt8: Entry] = {
        let all = people + lists + logs + apps
        return Dictionary(uniqueKeysWithValues: all.map { ($0.kind, $0) })
    }()

    /// A table with rows of users.
    private static func user<Key: WordedKey, Record>(
        _ name: String, _ table: Table<Key, Record>
    ) -> Entry {
        Entry(kind: table.kind, name: name, isOfUser: true) { Key(reading: $0)?.words }
    }

    /// A table with rows of the app.
    private static func shared<Key: WordedKey, Record>(
        _ name: String, _ table: Table<Key, Record>
    ) -> Entry {
        Entry(kind: table.kind, name: name, isOfUser: false) { Key(reading: $0)?.words }
    }

    /// Users, and all that is known of them.
    private static let people: [Entry] = [
        user("user_records", Tables.userRecords),
        user("profiles", Tables.profiles),
        shared("unique_ids", Tables.uniqueIDs),
        user("departed_users", Tables.departed),
        user("mentions", Tables.mentions),
        shared("directory", Tables.directory),
        user("statuses", Tables.statuses),
        user("seen_devices", Tables.seenDevices),
        shared("found_names", Tables.foundNames),
        shared("found_names_state", Tables.foundNamesStates),
        user("contact_digests", Tables.contactDigests),
        shared("contact_owners", Tables.contactOwners),
        user("grants", Tables.grants),
        user("suspensions", Tables.suspensions),
        shared("suspended_users", Tables.suspendedUsers),
        shared("suspension_count", Tables.suspensionCounts),
        shared("suspension_ends", Tables.suspensionEnds),
        user("reports", Tables.reports),
        user("made_reports", Tables.madeReports),
        shared("report_places", Tables.reportIndex),
        shared("report_counts", Tables.reportCounts),
        shared("review_places", Tables.reviewIndex),
        user("friend_reviews", Tables.friendReviews),
        shared("review_counts", Tables.reviewCounts),
    ]

    /// The lists of a user.
    private static let lists: [Entry] = [
        user("friends", Tables.friends),
        user("removed_friends", Tables.tombstones),
        user("removed_friends_by_sequence", Tables.tombstonesBySequence),
        user("reverse_counts", Tables.reverseCounts),
        user("groups", Tables.groups),
        user("group_members", Tables.groupMembers),
        user("applications", Tables.pendencies),
        user("applications_by_time", Tables.pendenciesByTime),
        user("handled_applications", Tables.handledApplications),
        shared("application_ends", Tables.expiries),
        user("blacklist", Tables.blacklist),
        user("blacklist_by_time", Tables.blacklistByTime),
        user("subscriptions", Tables.subscriptions),
        user("subscriptions_by_end", Tables.subscriptionsByEnd),
        user("subscribers", Tables.subscribers),
        user("subscriber_counts", Tables.subscriberCounts),
        shared("subscription_ends", Tables.subscriptionEnds),
        user("follows", Tables.follows),
        user("follows_by_time", Tables.followsByTime),
        user("follow_counts", Tables.followCounts),
        user("dismissals", Tables.dismissals),
        user("dismissers", Tables.dismissers),
        user("invitations", Tables.invitations),
        shared("invitation_ids", Tables.invitationIDs),
        user("invitation_uses", Tables.invitationUses),
        shared("invitation_ends", Tables.invitationEnds),
    ]

    /// Logs, and others that tell of changes.
    private static let logs: [Entry] = [
        user("log", Tables.changes),
        user("kept_answers", Tables.answers),
        user("kept_answers_by_time", Tables.answersByTime),
        shared("feed", Tables.feed),
        shared("feed_state", Tables.feedStates),
        shared("long_logs", Tables.longLogs),
        shared("retention", Tables.retention),
        shared("history", Tables.history),
        user("history_of_users", Tables.historyOfUsers),
        shared("history_of_requests", Tables.historyOfRequests),
        shared("history_state", Tables.historyStates),
        shared("history_start", Tables.historyStarts),
        shared("audit", Tables.audit),
        shared("audit_head", Tables.auditSummaries),
        shared("consumers", Tables.consumers),
        shared("consumer_readers", Tables.consumerReaders),
        shared("hook_progress", Tables.hookProgress),
        shared("hook_failures", Tables.hookFailures),
    ]

    /// The apps, their keys and their maintenance.
    private static let apps: [Entry] = [
        shared("apps", Tables.apps),
        shared("registry", Tables.registry),
        shared("app_deletions", Tables.appDeletions),
        shared("app_moves", Tables.appMoves),
        shared("credentials", Tables.credentials),
        shared("losses", Tables.losses),
        shared("identity", Tables.identity),
        shared("deletions", Tables.deletions),
        shared("jobs", Tables.jobs),
        shared("job_numbers", Tables.jobNumbers),
        shared("imports", Tables.imports),
        shared("known_losses", Tables.knownLosses),
        shared("session_ends", Tables.sessionEnds),
        shared("session_ends_by_number", Tables.sessionEndsByNumber),
        shared("sessions", Tables.sessions),
        shared("erasures", Tables.erasures),
        shared("erasure_walk", Tables.erasureWalk),
    ]
}

extension Key {
    /// The name of its partition, where that is a user's.
    var ownerText: String {
        String(decoding: bytes[4..<(partitionCount - 1)], as: UTF8.self)
    }

    /// The result of `body` with the bytes after the kind.
    func rowKey<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        bytes.withUnsafeBytes {
            body(UnsafeRawBufferPointer(rebasing: $0[(partitionCount + 1)...]))
        }
    }
}
