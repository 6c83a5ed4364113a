import RelationModel
import Storage

// A report stands with the reported user; its number with the app and with the reporter. The user
// record and the app count them.

extension IntegrityCheck {
    /// Checks the reports about the user with their index entries and counts, and those that it
    /// made.
    mutating func checkReports() throws(StorageError) {
        let user = user
        let rows = try rows(of: Tables.reports)
        checkCount("report_count", \.reportCount, rows.count)
        checkCount("open_report_count", \.openReportCount, rows.count { $0.record.isOpen })
        for (number, record) in rows {
            let entry = try Tables.reportIndex.record(app.reports, number, in: transaction)
            if entry?.userID != user.text {
                note(.rowWithoutIndex, "reports") { (ledger) throws(StorageError) in
                    var entry = ReportIndexRecord()
                    entry.userID = user.text
                    try Tables.reportIndex.set(
                        entry, at: ledger.app.reports, number, in: ledger.transaction)
                }
            }
            guard let reporter = record.reporter else { continue }
            let made = try Tables.madeReports.record(
                app.partition(of: reporter), user, in: transaction)
            if made?.number != number {
                note(.rowWithoutIndex, "made_reports") { (ledger) throws(StorageError) in
                    var made = ReportIndexRecord()
                    made.number = number
                    try Tables.madeReports.set(
                        made, at: ledger.partition(of: reporter), user, in: ledger.transaction)
                }
            }
        }
        for (reported, entry) in try self.rows(of: Tables.madeReports) {
            let record = try Tables.reports.record(
                app.partition(of: reported), entry.number, in: transaction)
            guard record?.reporter != user else { continue }
            note(.indexWithoutRow, "made_reports", reported) { ledger in
                Tables.madeReports.remove(
                    ledger.partition(of: user), reported, in: ledger.transaction)
            }
        }
    }
}

extension Integrity {
    /// The error of the app's list of reports: wrong counts, or numbers without a report; nil if it
    /// has none.
    package static func reportFinding(
        of app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> Finding? {
        let (counts, strays) = try reports(of: app, in: transaction)
        let summary = try Reports.summary(of: app, in: transaction)
        let isRight =
            strays.isEmpty && summary.count == counts.count && summary.openCount == counts.openCount
            && summary.last >= counts.last
        return isRight ? nil : Finding(user: nil, fault: .wrongCounter, subject: "report_places")
    }

    /// Drops numbers without a report from the app's list, and counts it again.
    ///
    /// - Returns: Whether it had an error.
    package static func repairReports(in ledger: Ledger) throws(StorageError) -> Bool {
        let (app, transaction) = (ledger.app, ledger.transaction)
        guard try reportFinding(of: app, in: transaction) != nil else { return false }
        var (counts, strays) = try reports(of: app, in: transaction)
        for number in strays { Tables.reportIndex.remove(app.reports, number, in: transaction) }
        counts.last = max(counts.last, try Reports.summary(of: app, in: transaction).last)
        try Tables.reportCounts.set(counts, at: app.reports, OnlyKey(), in: transaction)
        return true
    }

    /// The counts that the reports have, and the numbers that have none.
    private static func reports(
        of app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> (counts: ReportsRecord, strays: [UInt64]) {
        let table = Tables.reportIndex
        var (counts, strays): (ReportsRecord, [UInt64]) = (ReportsRecord(), [])
        var last: UInt64?
        while true {
            var (numbers, keys): ([UInt64], KeyList) = ([], KeyList())
            let range =
                last.map { table.rows(of: app.reports, after: $0) } ?? table.all(of: app.reports)
            try table.scan(range, limit: CoreLimits.keysPerRead, in: transaction) { number, bytes in
                numbers.append(number)
                let entry = table.decode(bytes, in: transaction.arena) ?? ReportIndexRecord()
                let reported = UserID(stored: entry.userID)
                Tables.reports.add(app.partition(of: reported), number, to: &keys)
                return .more
            }
            guard let end = numbers.last else { return (counts, strays) }
            last = end
            counts.last = end
            for (number, record) in zip(numbers, try Tables.reports.records(keys, in: transaction))
            {
                guard let record else {
                    strays.append(number)
                    continue
                }
                counts.count += 1
                if record.isOpen { counts.openCount += 1 }
            }
        }
    }
}
