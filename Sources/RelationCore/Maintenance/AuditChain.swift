import Digests
package import RelationModel
package import Storage

/// The audit of an app, or of the server: records that are only appended, each with the hash of the
/// one before.
///
/// A record is written by the transaction of the write that it is about, so there are both or
/// neither. A reader that has kept the hash of one record can tell whether it, or one before it, is
/// another today.
package enum AuditChain {
    /// Stands for the hash of the record before the first one.
    package static let noHash = [UInt8](repeating: 0, count: SHA256.byteCount)
    private static let dayMs: Int64 = 86_400_000

    // MARK: Writing

    /// Appends `row`, which gets its sequence and its hashes.
    package static func append(
        _ row: AuditRow, to app: App, in transaction: any WriteTransaction
    ) throws(StorageError) {
        var row = row
        var summary = try summary(of: app, in: transaction)
        if summary.count == 0 { summary.oldestMs = row.timeMs }
        summary.last += 1
        summary.count += 1
        row.sequence = Int64(summary.last)
        row.previousHash = summary.hash.isEmpty ? noHash : summary.hash
        row.hash = hash(of: row, after: row.previousHash)
        summary.hash = row.hash
        try Tables.audit.set(row, at: app.audit, summary.last, in: transaction)
        try Tables.auditSummaries.set(summary, at: app.audit, OnlyKey(), in: transaction)
    }

    /// The hash of a record that stands after one with the hash `previous`.
    package static func hash(of row: some AuditContent, after previous: [UInt8]) -> [UInt8] {
        SHA256.digest(of: previous + row.hashedBytes)
    }

    /// Whether a record stands after one with the hash `previous`, has the hash of its fields, and
    /// has the user and the request id of which the hash covers a digest, unless these were erased.
    package static func isWhole(_ row: AuditRow, after previous: [UInt8]) -> Bool {
        row.previousHash == previous && row.hash == hash(of: row, after: previous)
            && hasUser(row) && hasRequest(row)
    }

    // A salt has one length, or its last bytes could be taken for the first ones of the text.
    private static func hasUser(_ row: AuditRow) -> Bool {
        guard !row.userID.isEmpty else { return row.userSalt.isEmpty }
        return row.userSalt.count == Limits.auditSaltBytes
            && row.userDigest == digest(ofUser: row.userID, row.userSalt)
    }

    private static func hasRequest(_ row: AuditRow) -> Bool {
        guard !row.requestDigest.isEmpty else { return true }
        let salt = row.requestDigest.dropFirst(Limits.auditDigestBytes)
        guard !row.requestID.isEmpty else { return salt.isEmpty }
        return salt.count == Limits.auditSaltBytes
            && row.requestDigest == digest(ofRequest: row.requestID, Array(salt))
    }

    /// The part of a user's name that is hashed, so that the name itself can be erased.
    package static func digest(ofUser user: String, _ salt: [UInt8]) -> [UInt8] {
        SHA256.digest(of: salt + Array(user.utf8))
    }

    /// The digest of a request id, and behind it the salt, in the form that a record has.
    ///
    /// The hash covers the digest alone, so that the id can be erased with its salt.
    package static func digest(ofRequest id: String, _ salt: [UInt8]) -> [UInt8] {
        SHA256.digest(of: salt + Array(id.utf8)) + salt
    }

    /// `row` without what names an erased user; nil if nothing does.
    ///
    /// The request id goes with its user, and goes alone if it names another one. In a row of an
    /// older version it stays, because it is hashed as it is.
    ///
    /// - Parameter named: The erased users whom the request id names.
    static func erased(
        _ row: AuditRow, _ names: ErasedNames, named: Set<Int>
    ) -> (row: AuditRow, indices: Set<Int>)? {
        var indices = names.indices(row.userID)
        let isOfUser = !indices.isEmpty
        if !row.requestDigest.isEmpty { indices.formUnion(named) }
        guard !indices.isEmpty else { return nil }
        var row = row
        if isOfUser { (row.userID, row.userSalt) = ("", []) }
        if !row.requestDigest.isEmpty {
            row.requestID = ""
            row.requestDigest = Array(row.requestDigest.prefix(Limits.auditDigestBytes))
        }
        return (row, indices)
    }

    /// Records that an erasure has ended, in an app whose audit has begun.
    static func recordErasure(
        _ number: UInt64, digest: String, rows: Int64, in ledger: Ledger
    ) throws(StorageError) {
        guard try summary(of: ledger.app, in: ledger.transaction).last > 0 else { return }
        var row = AuditRow()
        row.kind = .erasure
        row.timeMs = ledger.now.milliseconds
        row.count = rows
        row.subject = Int64(clamping: number)
        if !digest.isEmpty { row.subjectHash = SHA256.digest(of: Array(digest.utf8)) }
        try append(row, to: ledger.app, in: ledger.transaction)
    }

    // MARK: Old records

    /// Removes the next records that are older than `days` full days, and records which.
    ///
    /// It begins once a day, so that not each sweep adds a record of its own.
    ///
    /// - Returns: Whether there may be more.
    package static func trim(
        _ app: App, keeping days: Int, at now: Timestamp, limit: Int,
        in transaction: any WriteTransaction
    ) throws(StorageError) -> Bool {
        var summary = try summary(of: app, in: transaction)
        let today = now.milliseconds - now.milliseconds % dayMs
        let cutoff = today - Int64(days) * dayMs
        guard summary.count > 0, summary.oldestMs < cutoff else { return false }
        let table = Tables.audit
        var old: [AuditRow] = []
        var oldestMs: Int64?
        try table.scan(table.all(of: app.audit), limit: limit, in: transaction) { _, bytes in
            guard let row = table.decode(bytes, in: transaction.arena) else { return .stop }
            guard row.timeMs < cutoff else {
                oldestMs = row.timeMs
                return .stop
            }
            old.append(row)
            return .more
        }
        for row in old { table.remove(app.audit, UInt64(row.sequence), in: transaction) }
        summary.count = max(0, summary.count - Int64(old.count))
        // A step that came to its limit goes on from the last record that it removed.
        summary.oldestMs = oldestMs ?? old.last?.timeMs ?? cutoff
        try Tables.auditSummaries.set(summary, at: app.audit, OnlyKey(), in: transaction)
        guard let last = old.last else { return false }
        var row = AuditRow()
        row.kind = .trim
        row.timeMs = now.milliseconds
        row.count = Int64(old.count)
        row.subject = last.sequence
        row.subjectHash = last.hash
        try append(row, to: app, in: transaction)
        return old.count == limit
    }

    // MARK: Reading

    package static func summary(
        of app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> AuditSummary {
        try Tables.auditSummaries.record(app.audit, OnlyKey(), in: transaction) ?? AuditSummary()
    }

    /// The first `limit` records after `sequence`, the oldest first.
    package static func page(
        after sequence: UInt64, limit: Int, of app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> [AuditRow] {
        let table = Tables.audit
        var rows: [AuditRow] = []
        var isBroken = false
        try table.scan(
            table.rows(of: app.audit, after: sequence), limit: limit, in: transaction
        ) { _, bytes in
            guard let row = table.decode(bytes, in: transaction.arena) else {
                isBroken = true
                return .stop
            }
            rows.append(row)
            return .more
        }
        if isBroken { throw StorageError(.corrupted, "a record of the audit does not decode") }
        return rows
    }

    /// Adds the row that ``append(_:to:in:)`` reads.
    package static func addKeys(of app: App, to keys: inout KeyList) {
        Tables.auditSummaries.add(app.audit, OnlyKey(), to: &keys)
    }
}

extension App {
    /// The audit of the app; of the registry, that of the server.
    ///
    /// The first byte keeps it apart from a user whose id is `*`.
    package var audit: Partition { Partition(app: id, name: [0x06, 0x2A]) }
}

extension ErasureTally {
    /// All rows that the erasure has rewritten or removed.
    var rows: Int64 {
        events + feedEntries + removedFriends + applications + answers + others + reports
    }
}
