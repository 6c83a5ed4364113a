import Digests
package import RelationModel
import Storage
import Support

/// Rules over the ends of users' sessions: the moments before which a user's signatures were made
/// that are no longer valid.
///
/// They stand among the rows of the app and not of the user, since a user needs no account to hold
/// a signature.
package enum SessionRules {
    /// The moment that stands for a user after a call.
    package struct End: Equatable {
        package let beforeMs: Int64
        /// Whether the call has set it.
        package let changed: Bool

        package init(beforeMs: Int64, changed: Bool) {
            self.beforeMs = beforeMs
            self.changed = changed
        }
    }

    /// Refuses the signatures of `user` that were made before `timeMs`; never lowers what stands.
    ///
    /// If the app has `limit` rows already, the oldest one goes, and its moment holds for all users
    /// from then on: no signature that was refused becomes good again.
    ///
    /// - Throws: ``StorageError`` if the store failed; nothing has then been written.
    package static func end(
        _ user: UserID, before timeMs: Int64, in ledger: Ledger, limit: Int = Limits.sessionEnds
    ) throws(StorageError) -> End {
        let (partition, transaction) = (ledger.app.partition, ledger.transaction)
        var summary = try summary(of: ledger.app, in: transaction)
        let old = try Tables.sessionEnds.record(partition, user, in: transaction)
        let present = max(old?.beforeMs ?? 0, summary.floorMs)
        guard timeMs > present else { return End(beforeMs: present, changed: false) }
        summary.last += 1
        if let old {
            Tables.sessionEndsByNumber.remove(
                partition, SequencedUser(sequence: old.number, user: user), in: transaction)
        } else {
            summary.count += 1
        }
        var record = SessionEndRecord()
        record.beforeMs = timeMs
        record.number = summary.last
        try Tables.sessionEnds.set(record, at: partition, user, in: transaction)
        try Tables.sessionEndsByNumber.set(
            EmptyRecord(), at: partition, SequencedUser(sequence: summary.last, user: user),
            in: transaction)
        var change = SessionChange(app: ledger.app.id)
        change.ends = [(user, timeMs)]
        if summary.count > limit { change.dropped = try drop(from: &summary, in: ledger) }
        change.floorMs = summary.floorMs
        try Tables.sessions.set(summary, at: partition, OnlyKey(), in: transaction)
        ledger.sessionChanges.append(change)
        return End(beforeMs: timeMs, changed: true)
    }

    /// Puts a digest of the id in the place of `user`, if its sessions have an end: the signatures
    /// that it had are refused on.
    ///
    /// - Returns: Whether they had one.
    static func erase(_ user: UserID, in ledger: Ledger) throws(StorageError) -> Bool {
        let (partition, transaction) = (ledger.app.partition, ledger.transaction)
        guard let record = try Tables.sessionEnds.record(partition, user, in: transaction) else {
            return false
        }
        let name = erasedName(of: user)
        var summary = try summary(of: ledger.app, in: transaction)
        if let old = try Tables.sessionEnds.record(partition, name, in: transaction) {
            Tables.sessionEndsByNumber.remove(
                partition, SequencedUser(sequence: old.number, user: name), in: transaction)
            summary.count.decrease()
        }
        Tables.sessionEnds.remove(partition, user, in: transaction)
        Tables.sessionEndsByNumber.remove(
            partition, SequencedUser(sequence: record.number, user: user), in: transaction)
        summary.last += 1
        var erased = SessionEndRecord()
        (erased.beforeMs, erased.number) = (record.beforeMs, summary.last)
        try Tables.sessionEnds.set(erased, at: partition, name, in: transaction)
        try Tables.sessionEndsByNumber.set(
            EmptyRecord(), at: partition, SequencedUser(sequence: summary.last, user: name),
            in: transaction)
        // Servers that have the end in memory go on to refuse by the id, until they start again.
        try Tables.sessions.set(summary, at: partition, OnlyKey(), in: transaction)
        return true
    }

    /// The name under which the end of the sessions of an erased user stands.
    ///
    /// No user has it. It is a digest of the id, which does not lead back to it. A reader of the
    /// store that has a list of ids can try them.
    package static func erasedName(of user: UserID) -> UserID {
        let digest = SHA256.digest(of: Array("erased user \(user.text)".utf8))
        return UserID(stored: ([erasedMark] + String(hexadecimal: digest.prefix(16)).utf8))
    }

    /// Whether a name is that of an erased user.
    package static func isErased(_ user: UserID) -> Bool { user.text.utf8.first == erasedMark }

    private static let erasedMark: UInt8 = 0x1E

    /// Refuses the signatures of all users that were made before `timeMs`, as an export had it.
    ///
    /// - Throws: ``StorageError`` if the store failed; nothing has then been written.
    package static func raiseFloor(to timeMs: Int64, in ledger: Ledger) throws(StorageError) {
        var summary = try summary(of: ledger.app, in: ledger.transaction)
        guard timeMs > summary.floorMs else { return }
        summary.floorMs = timeMs
        try Tables.sessions.set(
            summary, at: ledger.app.partition, OnlyKey(), in: ledger.transaction)
        var change = SessionChange(app: ledger.app.id)
        change.floorMs = timeMs
        ledger.sessionChanges.append(change)
    }

    /// Drops the row with the lowest number, and keeps its moment for all users.
    private static func drop(
        from summary: inout SessionsRecord, in ledger: Ledger
    ) throws(StorageError) -> [UserID] {
        let (partition, transaction) = (ledger.app.partition, ledger.transaction)
        var oldest: SequencedUser?
        let rows = Tables.sessionEndsByNumber.all(of: partition)
        try Tables.sessionEndsByNumber.scan(rows, limit: 1, in: transaction) { key, _ in
            oldest = key
            return .stop
        }
        guard let oldest else { return [] }
        let record = try Tables.sessionEnds.record(partition, oldest.user, in: transaction)
        Tables.sessionEndsByNumber.remove(partition, oldest, in: transaction)
        Tables.sessionEnds.remove(partition, oldest.user, in: transaction)
        summary.floorMs = max(summary.floorMs, record?.beforeMs ?? 0)
        summary.count.decrease()
        return [oldest.user]
    }

    // MARK: Reading

    /// The app's record of ends as a whole.
    package static func summary(
        of app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> SessionsRecord {
        try Tables.sessions.record(app.partition, OnlyKey(), in: transaction) ?? SessionsRecord()
    }

    /// The moment before which the signatures of `user` are refused; 0 if there is none.
    package static func beforeMs(
        of user: UserID, app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> Int64 {
        let record = try Tables.sessionEnds.record(app.partition, user, in: transaction)
        let erased = try Tables.sessionEnds.record(
            app.partition, erasedName(of: user), in: transaction)
        return max(
            record?.beforeMs ?? 0, erased?.beforeMs ?? 0,
            try summary(of: app, in: transaction).floorMs)
    }

    /// The ends of sessions of `app`.
    ///
    /// - Parameter known: The number of the newest end that the caller has, with the history of the
    ///   app: it gets the later ones if that is still the app's.
    package static func all(
        of app: App, _ history: History, beyond known: (history: UInt64, last: Int64)? = nil,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> AppSessions {
        let summary = try summary(of: app, in: transaction)
        var sessions = AppSessions()
        sessions.history = history.id
        sessions.last = summary.last
        sessions.floorMs = summary.floorMs
        if let known, known.history == history.id { sessions.isWhole = false }
        let last = sessions.isWhole ? 0 : known?.last ?? 0
        guard summary.last > last else { return sessions }
        sessions.ends = try ends(of: app, after: last, in: transaction)
        return sessions
    }

    /// The ends with a number above `number`, in the order of their numbers.
    private static func ends(
        of app: App, after number: Int64, in transaction: any ReadTransaction
    ) throws(StorageError) -> [(user: UserID, beforeMs: Int64)] {
        let partition = app.partition
        var users: [UserID] = []
        var keys = KeyList()
        let range = Tables.sessionEndsByNumber.rows(
            of: partition, after: SequencedUser(after: number))
        try Tables.sessionEndsByNumber.scan(range, limit: .max, in: transaction) { key, _ in
            users.append(key.user)
            Tables.sessionEnds.add(partition, key.user, to: &keys)
            return .more
        }
        let records = try Tables.sessionEnds.records(keys, in: transaction)
        return zip(users, records).compactMap { user, record in
            record.map { (user, $0.beforeMs) }
        }
    }

    /// Adds the rows that ending the sessions of `users` reads.
    package static func keys(of users: [UserID], app: App, into keys: inout KeyList) {
        Tables.sessions.add(app.partition, OnlyKey(), to: &keys)
        for user in users { Tables.sessionEnds.add(app.partition, user, to: &keys) }
    }
}
