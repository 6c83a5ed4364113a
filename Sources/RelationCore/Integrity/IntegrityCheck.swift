import RelationModel
import Storage

/// A check of the rows of one user.
struct IntegrityCheck {
    typealias Repair = (Ledger) throws(StorageError) -> Void

    /// A finding, with the write that repairs it.
    struct RepairableFinding {
        let finding: Integrity.Finding
        let repair: Repair
    }

    private(set) var repairable: [RepairableFinding] = []
    let user: UserID
    let app: App
    let transaction: any ReadTransaction
    let partition: Partition
    private(set) var userRecord = UserRecord()

    init(_ user: UserID, _ app: App, _ transaction: any ReadTransaction) {
        self.user = user
        self.app = app
        self.transaction = transaction
        partition = app.partition(of: user)
    }

    mutating func run() throws(StorageError) {
        let userRecord = try Tables.userRecords.record(partition, OnlyKey(), in: transaction)
        let isListed = try Tables.directory.contains(
            Directory.partition(of: user, app), user, in: transaction)
        guard let userRecord else {
            if isListed { noteStray(in: Tables.directory, "directory", user, at: directory) }
            return
        }
        self.userRecord = userRecord
        if !isListed { noteMissing(in: Tables.directory, "directory", user, at: directory) }
        // Indexes and counters come first: the repairs that end a pair rely on them.
        let friends = try rows(of: Tables.friends)
        let blacklist = try rows(of: Tables.blacklist)
        let pendencies = try rows(of: Tables.pendencies)
        try checkFriends(friends)
        try checkGroups(friends)
        try checkPendencies(pendencies)
        try checkBlacklist(blacklist)
        try checkSubscriptions()
        try checkFollows()
        try checkInvitations()
        try checkDismissals()
        try checkSuspension()
        try checkReports()
        try checkReviews(friends)
        try checkAnswers()
        try checkUniqueID()
        try checkStatus()
        try checkSeenDevices()
        try checkFoundNames()
        try checkContacts()
        try checkHistory()
        try checkLog()
        try checkBackReferences(friends, blacklist, pendencies)
    }

    private var directory: Partition { Directory.partition(of: user, app) }

    // MARK: Reading

    func rows<TableKey, Record>(
        of table: Table<TableKey, Record>
    ) throws(StorageError) -> [(key: TableKey, record: Record)] {
        var rows: [(key: TableKey, record: Record)] = []
        var isBroken = false
        try table.scan(table.all(of: partition), limit: .max, in: transaction) { key, bytes in
            guard let record = table.decode(bytes, in: transaction.arena) else {
                isBroken = true
                return .stop
            }
            rows.append((key, record))
            return .more
        }
        if isBroken { throw StorageError(.corrupted, "a row of \(user) does not decode") }
        return rows
    }

    // MARK: Noting

    mutating func note(
        _ fault: IntegrityFault, _ subject: String, _ other: UserID? = nil,
        _ repair: @escaping Repair
    ) {
        let finding = Integrity.Finding(user: user, fault: fault, subject: subject, other: other)
        repairable.append(RepairableFinding(finding: finding, repair: repair))
    }

    mutating func noteMissing<TableKey>(
        in table: Table<TableKey, EmptyRecord>, _ subject: String, _ key: TableKey,
        at partition: Partition? = nil, _ other: UserID? = nil
    ) {
        let partition = partition ?? self.partition
        note(.rowWithoutIndex, subject, other) { (ledger) throws(StorageError) in
            try table.set(EmptyRecord(), at: partition, key, in: ledger.transaction)
        }
    }

    mutating func noteStray<TableKey>(
        in table: Table<TableKey, EmptyRecord>, _ subject: String, _ key: TableKey,
        at partition: Partition? = nil, _ other: UserID? = nil
    ) {
        let partition = partition ?? self.partition
        note(.indexWithoutRow, subject, other) { ledger in
            table.remove(partition, key, in: ledger.transaction)
        }
    }

    /// Compares an index with the row keys that follow from its rows.
    mutating func checkIndex<TableKey>(
        _ table: Table<TableKey, EmptyRecord>, _ subject: String, _ wanted: [TableKey]
    ) throws(StorageError) {
        var missing: [[UInt8]: TableKey] = [:]
        for key in wanted { missing[key.bytes] = key }
        for row in try rows(of: table) where missing.removeValue(forKey: row.key.bytes) == nil {
            noteStray(in: table, subject, row.key)
        }
        for (_, key) in missing.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            noteMissing(in: table, subject, key)
        }
    }

    /// Checks that readers of the presence look up a status that is there.
    private mutating func checkStatus() throws(StorageError) {
        guard userRecord.lacksStatus,
            try Tables.statuses.contains(partition, OnlyKey(), in: transaction)
        else { return }
        let user = user
        note(.wrongCounter, "status") { (ledger) throws(StorageError) in
            try ledger.changeUserRecord(of: user) { $0.lacksStatus = false }
        }
    }

    /// Checks the number of the stored devices, by which readers know whether to look them up.
    private mutating func checkSeenDevices() throws(StorageError) {
        let seen = try Tables.seenDevices.record(partition, OnlyKey(), in: transaction)
        checkCount("devices", \.seenDeviceCount, seen?.devices.count ?? 0)
    }

    mutating func checkCount(
        _ subject: String, _ counter: any WritableKeyPath<UserRecord, UInt32> & Sendable,
        _ count: Int
    ) {
        guard Int(userRecord[keyPath: counter]) != count else { return }
        let user = user
        note(.wrongCounter, subject) { (ledger) throws(StorageError) in
            try ledger.changeUserRecord(of: user) { $0[keyPath: counter] = UInt32(count) }
        }
    }
}
