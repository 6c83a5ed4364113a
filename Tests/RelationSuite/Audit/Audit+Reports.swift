import RelationCore
import RelationModel
import Storage

extension Audit {
    /// Compares the places and the counts of reports with the rows of the reported users.
    mutating func checkReports() throws(StorageError) {
        var (places, made): (Set<String>, Set<String>) = ([], [])
        var counts = ReportsRecord()
        for user in users {
            // A deletion takes the reports about its user in steps.
            let rows = try world.rows(of: Tables.reports, of: user)
            let open = rows.count { $0.record.isOpen }
            if let userRecord = try world.userRecord(of: user) {
                expectSame(Int(userRecord.reportCount), rows.count, user, "the count of reports")
                expectSame(
                    Int(userRecord.openReportCount), open, user, "the count of open reports")
            }
            counts.count += Int64(rows.count)
            counts.openCount += Int64(open)
            for (number, record) in rows {
                expectSame(record.reportID, "\(number)", user, "the id of a report")
                expectSame(record.reportedUserID, user.text, user, "the user of a report")
                expectSame(record.isOpen, record.resolveTimeMs == 0, user, "whether it is open")
                places.insert("\(number) \(user)")
                let reporter = UserID(stored: record.reporterUserID.utf8)
                // A deletion takes the reporter's rows in steps too.
                if !record.reporterUserID.isEmpty, try world.userRecord(of: reporter) != nil {
                    made.insert("\(reporter) \(user) \(number)")
                }
                counts.last = max(counts.last, number)
            }
        }
        let found = try world.reportCounts()
        if found.count != counts.count || found.openCount != counts.openCount
            || found.last < counts.last
        {
            note("counts reports as \(found) instead of \(counts)")
        }
        let index = try world.rows(of: Tables.reportIndex, in: world.app.reports)
            .map { "\($0.key) \($0.record.userID)" }
        if Set(index) != places { note("reports are at \(index) instead of \(places)") }
        var listed: Set<String> = []
        for user in users where try world.userRecord(of: user) != nil {
            for (reported, place) in try world.rows(of: Tables.madeReports, of: user) {
                listed.insert("\(user) \(reported) \(place.number)")
            }
        }
        if listed != made { note("reports were made as \(listed) instead of \(made)") }
    }
}
