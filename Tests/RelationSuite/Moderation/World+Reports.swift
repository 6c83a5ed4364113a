package import RelationCore
package import RelationModel
import Storage

extension World {
    package func report(
        _ user: UserID, by reporter: UserID, _ category: ReportCategory = .spam, text: String = "",
        within bounds: Reports.Bounds = Reports.Bounds()
    ) throws(StorageError) -> FriendOutcome {
        var wanted = Reports.Wanted(user)
        wanted.category = category
        wanted.text = text
        return try call(by: reporter) { (ledger) throws(StorageError) in
            try Reports.report(wanted, by: reporter, in: ledger, within: bounds)
        }
    }

    package func resolve(
        _ number: UInt64, _ outcome: ReportOutcome, note: String = ""
    ) throws(StorageError) -> FriendOutcome {
        try call(by: nil) { (ledger) throws(StorageError) in
            try Reports.resolve(number, outcome, note: note, in: ledger)
        }
    }

    /// The reports about a user, or all, the latest first.
    package func reports(
        about user: UserID? = nil, below number: UInt64 = 0, limit: Int = 1_000
    ) throws(StorageError) -> (rows: [ReportRecord], next: UInt64?) {
        try read { (transaction) throws(StorageError) in
            try Reports.page(
                about: user, below: number, limit: limit, app: app, in: transaction)
        }
    }

    package func reportCounts() throws(StorageError) -> ReportsRecord {
        try read { (transaction) throws(StorageError) in
            try Reports.summary(of: app, in: transaction)
        }
    }

    /// Removes the reports that are too old, in steps of `limit`, and returns the number of steps.
    package func removeReports(limit: Int = 100) throws(StorageError) -> Int {
        var steps = 0
        while true {
            let more = try commit { (transaction) throws(StorageError) in
                try ReportExpiry.step(app, at: now, limit: limit, in: transaction)
            }
            guard more else { return steps }
            steps += 1
        }
    }
}

extension RelationStep {
    /// How many reports there may be in a random history, in which each user soon makes as many in
    /// a window as it may.
    static let reportBounds: Reports.Bounds = {
        var bounds = Reports.Bounds()
        bounds.perWindow = 2
        return bounds
    }()
}
