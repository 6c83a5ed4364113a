package import RelationModel
import Storage

/// The data of one user beside the rows that ``AppExport`` reads: what others have of it, and the
/// events of its log.
package enum UserExport {
    /// How many others have a user on their lists, where its own lists do not name them.
    package struct Mentions: Equatable {
        package var friends: Int64 = 0
        package var blacklists: Int64 = 0
        package var applications: Int64 = 0
        package var subscribers: Int64 = 0
        package var followers: Int64 = 0
        package var dismissals: Int64 = 0

        package init() {}
    }

    /// Counts the rows of others that name `user`; it does not say whose they are.
    package static func mentions(
        of user: UserID, app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> Mentions {
        let partition = app.partition(of: user)
        var mentions = Mentions()
        let rows = Tables.mentions.all(of: partition)
        try Tables.mentions.scan(rows, limit: .max, in: transaction) { mention, _ in
            switch mention.list {
            case .friends: mentions.friends += 1
            case .blacklist: mentions.blacklists += 1
            case .comeIn, .sendOut: mentions.applications += 1
            case .unreturned, .muting: break
            }
            return .more
        }
        let subscribers = Tables.subscribers.all(of: partition)
        try Tables.subscribers.scan(subscribers, limit: .max, in: transaction) { _, _ in
            mentions.subscribers += 1
            return .more
        }
        let counts = try Tables.followCounts.record(partition, OnlyKey(), in: transaction)
        mentions.followers = Int64(counts?.followers ?? 0)
        let dismissers = Tables.dismissers.all(of: partition)
        try Tables.dismissers.scan(dismissers, limit: .max, in: transaction) { _, _ in
            mentions.dismissals += 1
            return .more
        }
        return mentions
    }
}
