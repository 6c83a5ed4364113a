package import Memory
import Protobuf
package import RelationModel
package import Storage

/// A view of the store in which rows are as they were at a past moment.
///
/// It takes back what the history of the app tells: of each row the first entry after the moment
/// has it as it was before, and rows without such an entry have not changed. Only rows that are
/// asked for are taken back:
///
/// - a profile, and the existence of an account, when they are read;
/// - the rows between a user and others by ``revertPairs(of:)``;
/// - the list of a user's friends by ``revertList(of:)``.
///
/// All other rows are the present ones: settings, blacklists and choices of who sees what decide as
/// they do today. An erased account has no entries, and so does not come back.
///
/// - Important: It is valid only inside the closure that received the view below it.
package final class PastTransaction: ReadTransaction {
    package let moment: Timestamp
    let app: App
    let view: any ReadTransaction
    /// The position from which entries are taken back.
    let position: UInt64
    /// The rule that ended the read; nil if none did.
    package private(set) var refusal: PastRefusal?
    /// The rows that differ from the present ones, as far as they are known; nil is not a row.
    private var rows: [[UInt8]: [UInt8]?] = [:]
    /// Their keys in order; nil after a change.
    private var sorted: [[UInt8]]?
    private var knownProfiles: Set<UserID> = []
    private var looked = 0
    private var lookedBytes = 0
    private let mostEntries: Int
    private let mostBytes: Int

    /// The view at `moment`.
    ///
    /// - Precondition: The moment is not later than `now`.
    /// - Parameters:
    ///   - mostEntries: The most entries to look at, each user counted as one more.
    ///   - mostBytes: The most bytes of entries to look at.
    /// - Returns: The view, or ``PastRefusal/notKept(sinceMs:)``.
    package static func begin(
        at moment: Timestamp, _ now: Timestamp, app: App, over view: any ReadTransaction,
        mostEntries: Int = Limits.pastEntries, mostBytes: Int = Limits.pastBytes
    ) throws(StorageError) -> Result<PastTransaction, PastRefused> {
        guard let noted = try HistoryLog.sinceMs(of: app, in: view) else {
            return .failure(PastRefused(.notKept(sinceMs: nil)))
        }
        // The maintenance may not have removed yet what is too old.
        let oldest = now.milliseconds - Int64(app.settings.historyDays) * 86_400_000
        let since = max(noted, oldest)
        guard moment.milliseconds >= since else {
            return .failure(PastRefused(.notKept(sinceMs: since)))
        }
        let position = try HistoryLog.position(after: moment, of: app, in: view)
        return .success(
            PastTransaction(
                at: moment, app, from: position, over: view, mostEntries, mostBytes))
    }

    private init(
        at moment: Timestamp, _ app: App, from position: UInt64, over view: any ReadTransaction,
        _ mostEntries: Int, _ mostBytes: Int
    ) {
        self.moment = moment
        self.app = app
        self.position = position
        self.view = view
        self.mostEntries = mostEntries
        self.mostBytes = mostBytes
    }

    // MARK: The rows of then

    func set(_ key: Key, to bytes: [UInt8]?) {
        rows.updateValue(bytes, forKey: key.bytes)
        sorted = nil
    }

    /// Shows the present rows again.
    package func showPresent() {
        rows.removeAll()
        sorted = nil
        knownProfiles.removeAll()
    }

    /// Calls `body` with each entry about `user` of after the moment, the oldest first.
    func entries(
        of user: UserID, _ body: (HistoryRecord) throws(StorageError) -> Void
    ) throws(StorageError) {
        let (table, partition) = (Tables.historyOfUsers, app.partition(of: user))
        var last = position - 1
        try count(1, bytes: 0)
        while true {
            var positions: [UInt64] = []
            try table.scan(
                table.rows(of: partition, after: last), limit: Limits.historyRowsAtOnce, in: view
            ) { position, _ in
                positions.append(position)
                return .more
            }
            try count(positions.count, bytes: 0)
            var keys = KeyList()
            for position in positions {
                Tables.history.add(app.historyPartition, position, to: &keys)
            }
            for record in try Tables.history.records(keys, in: view) {
                // An entry in which the user acted alone says nothing of its rows.
                guard let record, record.names(user) else { continue }
                try count(0, bytes: record.bytesAtMost)
                try body(record)
            }
            guard positions.count == Limits.historyRowsAtOnce, let next = positions.last else {
                return
            }
            last = next
        }
    }

    private func count(_ entries: Int, bytes: Int) throws(StorageError) {
        looked += entries
        lookedBytes += bytes
        if looked > mostEntries {
            refusal = .tooManyEntries(limit: mostEntries)
        } else if lookedBytes > mostBytes {
            refusal = .tooManyBytes(limit: mostBytes)
        } else {
            return
        }
        throw StorageError.unanswerable("a read at a past moment looks at too much of a history")
    }

    /// Takes back the profile of the user whose row is about to be read.
    private func revertProfile(of key: Key) throws(StorageError) {
        guard key.kind == Tables.profiles.kind else { return }
        let user = key.owner.user
        guard knownProfiles.insert(user).inserted else { return }
        var past = PastProfile()
        try entries(of: user) { (record) throws(StorageError) in
            for row in try record.rows(in: view) {
                if case .profile(let difference) = row.content { past.add(difference) }
            }
        }
        let present = try Tables.profiles.record(app.partition(of: user), OnlyKey(), in: view)
        let then = past.applied(to: present ?? ProfileRecord())
        guard present != nil || then != ProfileRecord() else { return }
        set(key, to: try Tables.profiles.encode(then, in: arena))
    }

    /// The row of an account; nil if the account was made after the moment.
    private func past(
        _ row: UnsafeRawBufferPointer?, ofKind kind: UInt8?
    ) -> UnsafeRawBufferPointer? {
        guard let row, kind == Tables.userRecords.kind else { return row }
        guard let record = Tables.userRecords.decode(row, in: arena) else { return row }
        return record.createdMs > moment.milliseconds ? nil : row
    }

    // MARK: Reading

    package var arena: Arena { view.arena }

    package func read(
        _ key: KeyView, _ body: (UnsafeRawBufferPointer?) -> Void
    ) throws(StorageError) {
        let kind = key.kind
        if kind == Tables.profiles.kind { try revertProfile(of: key.key) }
        if !rows.isEmpty, let row = rows[Array(key.bytes)] {
            guard let row else { return body(nil) }
            return row.withUnsafeBytes { body($0) }
        }
        try view.read(key) { body(past($0, ofKind: kind)) }
    }

    package func read(
        _ keys: KeyList, _ body: (Int, UnsafeRawBufferPointer?) -> Void
    ) throws(StorageError) {
        for index in 0..<keys.count { try revertProfile(of: keys[index]) }
        try view.read(keys) { index, bytes in
            let key = keys[index]
            guard let row = rows[key.bytes] else {
                return body(index, past(bytes, ofKind: key.kind))
            }
            guard let row else { return body(index, nil) }
            row.withUnsafeBytes { body(index, $0) }
        }
    }

    package func scan(
        _ range: KeyRange, _ order: ScanOrder, limit: Int,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> ScanStep
    ) throws(StorageError) {
        var changed = changedKeys(in: range)
        guard !changed.isEmpty else { return try view.scan(range, order, limit: limit, body) }
        if order == .descending { changed.reverse() }
        var rest = changed[...]
        var left = limit
        var isStopped = left <= 0
        // Each row that is gone may cost one that the view has.
        let (most, isBeyond) = limit.addingReportingOverflow(changed.count)
        func show(_ key: [UInt8], _ bytes: [UInt8]) {
            left -= 1
            let step = key.withUnsafeBytes { key in
                bytes.withUnsafeBytes { bytes in body(key, bytes) }
            }
            isStopped = step == .stop || left <= 0
        }
        try view.scan(range, order, limit: isBeyond ? .max : most) { key, bytes in
            while !isStopped, let next = rest.first, Self.comes(next, before: key, order) {
                rest.removeFirst()
                if let row = rows[next] ?? nil { show(next, row) }
            }
            if isStopped { return .stop }
            if let next = rest.first, next.elementsEqual(key) {
                rest.removeFirst()
                if let row = rows[next] ?? nil { show(next, row) }
            } else {
                left -= 1
                isStopped = body(key, bytes) == .stop || left <= 0
            }
            return isStopped ? .stop : .more
        }
        while !isStopped, let next = rest.popFirst() {
            if let row = rows[next] ?? nil { show(next, row) }
        }
    }

    private static func comes(
        _ key: [UInt8], before other: UnsafeRawBufferPointer, _ order: ScanOrder
    ) -> Bool {
        order == .ascending
            ? key.lexicographicallyPrecedes(other) : other.lexicographicallyPrecedes(key)
    }

    /// The keys of rows in the range that differ from the present ones, in ascending order.
    private func changedKeys(in range: KeyRange) -> [[UInt8]] {
        guard !rows.isEmpty else { return [] }
        let keys = sorted ?? rows.keys.sorted { $0.lexicographicallyPrecedes($1) }
        sorted = keys
        return keys.filter {
            !$0.lexicographicallyPrecedes(range.lower) && $0.lexicographicallyPrecedes(range.upper)
        }
    }
}

/// The fields of a profile that have changed since a moment, as they were then.
private struct PastProfile {
    private var paths: Set<String> = []
    private var before = ProfileRecord()

    /// Adds a change; the first one of a field says what the field was.
    mutating func add(_ difference: ProfileDifference) {
        for field in difference.fields where paths.insert(field.name).inserted {
            field.copy(from: difference.before, to: &before)
        }
        for key in difference.customKeys where paths.insert(CustomPath.prefix + key).inserted {
            before.custom.set(difference.before.custom.value(of: key), of: key)
        }
    }

    /// The profile of then, without its versions, which no history has.
    func applied(to present: ProfileRecord) -> ProfileRecord {
        var record = present
        for field in ProfileField.stored where paths.contains(field.name) {
            field.copy(from: before, to: &record)
        }
        for path in paths where path.hasPrefix(CustomPath.prefix) {
            let key = String(path.dropFirst(CustomPath.prefix.count))
            record.custom.set(before.custom.value(of: key), of: key)
        }
        (record.version, record.openVersion, record.cardVersion) = (0, 0, 0)
        return record
    }
}
