package import RelationModel
package import Storage

/// Rules over reports of users about others, for the moderators of an app.
///
/// A report is a row of the reported user, under a number that grows with each report of the app.
/// The app has a row for each number, and the reporter one for each user that it reported. So there
/// is one report of a user about another, and a later one takes its place under a new number.
package enum Reports {
    /// The report that a user wants to make.
    package struct Wanted: Equatable {
        package let reported: UserID
        package var category = ReportCategory.unspecified
        package var text = ""
        package var reference = ""

        package init(_ reported: UserID) {
            self.reported = reported
        }
    }

    /// How many reports there may be; a test takes smaller numbers.
    package struct Bounds: Sendable {
        package var ofApp = Limits.reports
        package var aboutUser = Limits.reportsAboutUser
        package var perWindow = Limits.reportsPerWindow

        package init() {}
    }

    /// Reports a user to the moderators.
    ///
    /// - Returns: The first of these that applies:
    ///   - ``FriendStatus/invalidParameter`` if the two are the same user;
    ///   - ``FriendStatus/accountNotFound``;
    ///   - ``FriendStatus/invalidParameter`` if `reporter` has made too many in this window;
    ///   - the same if too many of others about the user are open;
    ///   - ``FriendStatus/success``.
    /// - Throws: ``StorageError`` if the store failed; nothing has then been written.
    package static func report(
        _ wanted: Wanted, by reporter: UserID, in ledger: Ledger, within bounds: Bounds = Bounds()
    ) throws(StorageError) -> FriendOutcome {
        let reported = wanted.reported
        guard reported != reporter else {
            return Outcome(.invalidParameter, Reason.UserReport.oneself)
        }
        guard try Accounts.ensureExists(reported, in: ledger) else {
            return Outcome(.accountNotFound, Reason.UserReport.accountNotExist)
        }
        let mine = try ledger.userRecord(of: reporter) ?? UserRecord()
        let made = mine.reportsMade(at: ledger.now, ledger.settings)
        guard made < bounds.perWindow else {
            return Outcome(.invalidParameter, Reason.UserReport.tooFrequent)
        }
        let old = try record(by: reporter, about: reported, in: ledger)
        if old == nil {
            let theirs = try ledger.userRecord(of: reported) ?? UserRecord()
            guard theirs.openReportCount < bounds.aboutUser else {
                return Outcome(.invalidParameter, Reason.UserReport.full)
            }
            if theirs.reportCount >= bounds.aboutUser {
                // Fewer than the bound are open, so one of so many rows is closed.
                try dropOldestClosed(about: reported, among: bounds.aboutUser, in: ledger)
            }
        }
        if let old { try remove(old.number, old.record, in: ledger) }
        var summary = try summary(of: ledger.app, in: ledger.transaction)
        if summary.count >= bounds.ofApp { try dropOldest(in: ledger) }
        summary.last += 1
        var record = ReportRecord()
        record.reportID = text(of: summary.last)
        record.reportedUserID = reported.text
        record.reporterUserID = reporter.text
        record.category = wanted.category
        record.text = wanted.text
        record.reference = wanted.reference
        record.count = (old?.record.count ?? 0) + 1
        record.reportTimeMs = ledger.now.milliseconds
        record.firstReportTimeMs = old?.record.firstReportTimeMs ?? record.reportTimeMs
        try insert(summary.last, record, in: ledger)
        let window = ledger.now.window(ofMs: ledger.settings.reportsWindowMs)
        try ledger.changeUserRecord(of: reporter) {
            $0.reportDay = window
            $0.reportsToday = UInt32(made + 1)
        }
        try notify(.userReported, record, in: ledger)
        return .success
    }

    /// Closes the report of that number, or changes how it was closed.
    ///
    /// - Returns: ``FriendStatus/success``, or ``FriendStatus/invalidParameter`` if there is none.
    /// - Throws: ``StorageError`` if the store failed; nothing has then been written.
    package static func resolve(
        _ number: UInt64, _ outcome: ReportOutcome, note: String, in ledger: Ledger
    ) throws(StorageError) -> FriendOutcome {
        guard var record = try fetchedRecord(number, in: ledger) else {
            return Outcome(.invalidParameter, Reason.ReportResolve.notExist)
        }
        guard record.outcome != outcome || record.note != note else { return .unchanged }
        let wasOpen = record.isOpen
        record.outcome = outcome
        record.note = note
        record.resolveTimeMs = ledger.now.milliseconds
        try Tables.reports.set(
            record, at: ledger.partition(of: record.reported), number, in: ledger.transaction)
        if wasOpen { try count(record.reported, reports: 0, open: -1, in: ledger) }
        try notify(.reportResolved, record, in: ledger)
        return .success
    }

    // MARK: Reading

    /// The id of the report of that number, and its number.
    package static func text(of number: UInt64) -> String { "\(number)" }

    package static func number(of text: String) -> UInt64? {
        guard let number = UInt64(text), Self.text(of: number) == text else { return nil }
        return number
    }

    package static func summary(
        of app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> ReportsRecord {
        try Tables.reportCounts.record(app.reports, OnlyKey(), in: transaction) ?? ReportsRecord()
    }

    /// The report of that number; nil if there is none.
    package static func record(
        _ number: UInt64, of app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> ReportRecord? {
        let entry = try Tables.reportIndex.record(app.reports, number, in: transaction)
        guard let entry else { return nil }
        let reported = UserID(stored: entry.userID)
        return try Tables.reports.record(app.partition(of: reported), number, in: transaction)
    }

    /// The report of that number, whose rows are fetched together.
    static func fetchedRecord(
        _ number: UInt64, in ledger: Ledger
    ) throws(StorageError) -> ReportRecord? {
        let entry = try Tables.reportIndex.record(
            ledger.app.reports, number, in: ledger.transaction)
        guard let entry else { return nil }
        let partition = ledger.partition(of: UserID(stored: entry.userID))
        var keys = KeyList()
        Tables.userRecords.add(partition, OnlyKey(), to: &keys)
        Tables.reports.add(partition, number, to: &keys)
        try ledger.fetch(keys)
        return try Tables.reports.record(partition, number, in: ledger.transaction)
    }

    private static func record(
        by reporter: UserID, about reported: UserID, in ledger: Ledger
    ) throws(StorageError) -> (number: UInt64, record: ReportRecord)? {
        let entry = try Tables.madeReports.record(
            ledger.partition(of: reporter), reported, in: ledger.transaction)
        guard let entry else { return nil }
        var keys = KeyList()
        Tables.reports.add(ledger.partition(of: reported), entry.number, to: &keys)
        try ledger.fetch(keys)
        let record = try Tables.reports.record(
            ledger.partition(of: reported), entry.number, in: ledger.transaction)
        return record.map { (entry.number, $0) }
    }

    /// The `limit` latest reports below `number`, the latest first, and the number of the last one
    /// that was looked at, if there are more.
    ///
    /// - Parameters:
    ///   - reported: The user that they are about; nil for all reports.
    ///   - number: 0 for the latest of all.
    package static func page(
        about reported: UserID?, below number: UInt64, limit: Int, app: App,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> (rows: [ReportRecord], next: UInt64?) {
        var (rows, numbers): ([ReportRecord], [UInt64]) = ([], [])
        if let reported {
            let (table, partition) = (Tables.reports, app.partition(of: reported))
            let range =
                number == 0 ? table.all(of: partition) : table.rows(of: partition, before: number)
            try table.scan(range, .descending, limit: limit + 1, in: transaction) { number, bytes in
                numbers.append(number)
                if numbers.count <= limit, let record = table.decode(bytes, in: transaction.arena) {
                    rows.append(record)
                }
                return .more
            }
        } else {
            let (table, partition) = (Tables.reportIndex, app.reports)
            let range =
                number == 0 ? table.all(of: partition) : table.rows(of: partition, before: number)
            var keys = KeyList()
            try table.scan(range, .descending, limit: limit + 1, in: transaction) { number, bytes in
                numbers.append(number)
                if numbers.count <= limit, let entry = table.decode(bytes, in: transaction.arena) {
                    let reported = UserID(stored: entry.userID)
                    Tables.reports.add(app.partition(of: reported), number, to: &keys)
                }
                return .more
            }
            rows = try Tables.reports.records(keys, in: transaction).compactMap(\.self)
        }
        return (rows, numbers.count > limit ? numbers[limit - 1] : nil)
    }

    // MARK: Rows

    /// Writes a report, as an export has it, under the number that its id names.
    static func restore(_ record: ReportRecord, in ledger: Ledger) throws(StorageError) {
        guard let number = number(of: record.reportID) else { return }
        try insert(number, record, in: ledger)
    }

    private static func insert(
        _ number: UInt64, _ record: ReportRecord, in ledger: Ledger
    ) throws(StorageError) {
        let transaction = ledger.transaction
        try Tables.reports.set(
            record, at: ledger.partition(of: record.reported), number, in: transaction)
        var entry = ReportIndexRecord()
        entry.userID = record.reportedUserID
        try Tables.reportIndex.set(entry, at: ledger.app.reports, number, in: transaction)
        if let reporter = record.reporter {
            var made = ReportIndexRecord()
            made.number = number
            try Tables.madeReports.set(
                made, at: ledger.partition(of: reporter), record.reported, in: transaction)
        }
        try count(
            record.reported, reports: 1, open: record.isOpen ? 1 : 0, last: number, in: ledger)
        ledger.noteEnd(at: record.reportTimeMs + Limits.reportMilliseconds)
    }

    /// Removes a report with its index entries.
    static func remove(
        _ number: UInt64, _ record: ReportRecord, in ledger: Ledger
    ) throws(StorageError) {
        let transaction = ledger.transaction
        Tables.reports.remove(ledger.partition(of: record.reported), number, in: transaction)
        Tables.reportIndex.remove(ledger.app.reports, number, in: transaction)
        if let reporter = record.reporter {
            Tables.madeReports.remove(
                ledger.partition(of: reporter), record.reported, in: transaction)
        }
        try count(record.reported, reports: -1, open: record.isOpen ? -1 : 0, in: ledger)
    }

    private static func dropOldest(in ledger: Ledger) throws(StorageError) {
        guard let first = try firstNumber(of: ledger.app, in: ledger.transaction),
            let record = try fetchedRecord(first, in: ledger)
        else { return }
        try remove(first, record, in: ledger)
    }

    private static func dropOldestClosed(
        about reported: UserID, among limit: Int, in ledger: Ledger
    ) throws(StorageError) {
        var oldest: (number: UInt64, record: ReportRecord)?
        let (table, transaction) = (Tables.reports, ledger.transaction)
        let range = table.all(of: ledger.partition(of: reported))
        try table.scan(range, limit: limit, in: transaction) { number, bytes in
            guard let record = table.decode(bytes, in: transaction.arena), !record.isOpen else {
                return .more
            }
            oldest = (number, record)
            return .stop
        }
        if let oldest { try remove(oldest.number, oldest.record, in: ledger) }
    }

    static func firstNumber(
        of app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> UInt64? {
        var first: UInt64?
        let table = Tables.reportIndex
        try table.scan(table.all(of: app.reports), limit: 1, in: transaction) { number, _ in
            first = number
            return .stop
        }
        return first
    }

    /// Takes the reporter's id out of a report that it made, since it is no longer an account.
    ///
    /// - Parameter withTexts: Whether the reporter's texts go too.
    /// - Returns: When the report itself will go; nil if there is none.
    static func forget(
        reporterOf number: UInt64, about reported: UserID, withTexts: Bool, in ledger: Ledger
    ) throws(StorageError) -> Int64? {
        let partition = ledger.partition(of: reported)
        guard
            var record = try Tables.reports.record(partition, number, in: ledger.transaction)
        else { return nil }
        record.reporterUserID = ""
        if withTexts { (record.text, record.reference) = ("", "") }
        try Tables.reports.set(record, at: partition, number, in: ledger.transaction)
        return record.reportTimeMs + Limits.reportMilliseconds
    }

    /// The reports that `reporter` made, in the order of the ids of the users that they are about,
    /// and the last of these, if there may be more.
    ///
    /// - Parameter last: Only users after this one; nil from the first on.
    package static func made(
        by reporter: UserID, after last: UserID?, limit: Int, app: App,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> (rows: [ReportRecord], next: UserID?) {
        let (table, partition) = (Tables.madeReports, app.partition(of: reporter))
        let range = last.map { table.rows(of: partition, after: $0) } ?? table.all(of: partition)
        var (keys, found, next) = (KeyList(), 0, last)
        try table.scan(range, limit: limit, in: transaction) { reported, bytes in
            (found, next) = (found + 1, reported)
            if let entry = table.decode(bytes, in: transaction.arena) {
                Tables.reports.add(app.partition(of: reported), entry.number, to: &keys)
            }
            return .more
        }
        let rows = try Tables.reports.records(keys, in: transaction).compactMap(\.self)
        return (rows, found < limit ? nil : next)
    }

    /// Adds to the counts of the reported user and of the app.
    private static func count(
        _ reported: UserID, reports: Int, open: Int, last: UInt64 = 0, in ledger: Ledger
    ) throws(StorageError) {
        var summary = try summary(of: ledger.app, in: ledger.transaction)
        summary.last = max(summary.last, last)
        // A count that is too low is an error that a check finds, and no reason to stop.
        summary.count = max(0, summary.count + Int64(reports))
        summary.openCount = max(0, summary.openCount + Int64(open))
        try Tables.reportCounts.set(
            summary, at: ledger.app.reports, OnlyKey(), in: ledger.transaction)
        // A deletion has removed the user record before.
        guard try ledger.userRecord(of: reported) != nil else { return }
        try ledger.changeUserRecord(of: reported) {
            $0.reportCount = UInt32(max(0, Int($0.reportCount) + reports))
            $0.openReportCount = UInt32(max(0, Int($0.openReportCount) + open))
        }
    }

    private static func notify(
        _ kind: ChangeKind, _ record: ReportRecord, in ledger: Ledger
    ) throws(StorageError) {
        var item = ChangeItemRecord(about: record.reported)
        item.report = record
        _ = try ledger.notifyApp(kind, item, about: record.reporter ?? record.reported)
    }

    // MARK: Keys

    /// Adds the rows that a report of `reporter` about `reported` reads.
    package static func keysForReporting(
        _ reported: UserID, by reporter: UserID, app: App, into keys: inout KeyList
    ) {
        Feed.addState(of: app, to: &keys)
        Accounts.keysForNaming(reported, app: app, into: &keys)
        Tables.reportCounts.add(app.reports, OnlyKey(), to: &keys)
        Tables.madeReports.add(app.partition(of: reporter), reported, to: &keys)
    }

    /// Adds the rows that closing the reports of `numbers` reads first; they lead to the others.
    package static func keysForResolving(
        _ numbers: [UInt64], app: App, into keys: inout KeyList
    ) {
        Feed.addState(of: app, to: &keys)
        Tables.reportCounts.add(app.reports, OnlyKey(), to: &keys)
        for number in numbers { Tables.reportIndex.add(app.reports, number, to: &keys) }
    }
}

extension App {
    /// The reports of the app by their numbers, and how many they are.
    package var reports: Partition { Partition(app: id, name: [0x22]) }
}
