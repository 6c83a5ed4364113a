package import Backups
import Storage

/// The content of a backup: the amounts of each app, for the backup's manifest.
package enum BackupContent {
    /// The amounts of each app, in the order of their numbers.
    ///
    /// The counts are those that the apps keep. ``IntegrityWalk`` counts the rows themselves.
    package static func counts(
        in transaction: any ReadTransaction
    ) throws(StorageError) -> [BackupCounts] {
        var all: [BackupCounts] = []
        for (id, record) in try AppRules.list(after: 0, limit: .max, in: transaction) {
            let app = App(id: id, settings: record.effectiveSettings)
            all.append(BackupCounts(id, try Feed.state(of: app, in: transaction)))
        }
        return all
    }
}

extension BackupCounts {
    package init(_ app: UInt32, _ counts: FeedState) {
        self.init()
        self.app = app
        accounts = counts.accounts
        friends = counts.friends
        groups = counts.groups
        blacklisted = counts.blacklisted
        applications = counts.comeIn + counts.sendOut
        subscriptions = counts.subscriptions
        events = counts.events
    }
}
