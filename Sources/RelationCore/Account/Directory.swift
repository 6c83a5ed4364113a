package import RelationModel
package import Storage

/// The accounts of an app by their ids.
///
/// Each user is a partition of its own, and no scan crosses partitions. So each account also stands
/// in one of a few partitions of the app. There are enough of them that calls that make accounts
/// rarely meet in one, and few enough that a page can look into all.
package enum Directory {
    static let parts: UInt8 = 16

    /// The partition that lists `user`.
    package static func partition(of user: UserID, _ app: App) -> Partition {
        app.partition(ofDirectory: UserBuckets.of(user) % parts)
    }

    /// The first `limit` accounts after `position`, by their ids.
    package static func page(
        of app: App, after position: UserID?, limit: Int, in transaction: any ReadTransaction
    ) throws(StorageError) -> [UserID] {
        var page: [UserID] = []
        var position = position
        while page.count < limit {
            // Ids are spread evenly: each part has its share of a page, or somewhat more.
            let share = (limit - page.count) / Int(parts) * 5 / 4 + 8
            var found: [UserID] = []
            var bound: UserID?
            for part in 0..<parts {
                let users = try users(
                    in: app.partition(ofDirectory: part), position, share, transaction)
                found += users
                // Behind the last row of a part that goes on, ids of that part may be missing.
                guard users.count == share, let last = users.last else { continue }
                bound = bound.map { min($0, last) } ?? last
            }
            if let bound { found.removeAll { $0 > bound } }
            page += found.sorted().prefix(limit - page.count)
            guard bound != nil else { break }
            position = page.last
        }
        return page
    }

    private static func users(
        in partition: Partition, _ position: UserID?, _ limit: Int,
        _ transaction: any ReadTransaction
    ) throws(StorageError) -> [UserID] {
        let table = Tables.directory
        let range =
            position.map { table.rows(of: partition, after: $0) } ?? table.all(of: partition)
        var users: [UserID] = []
        try table.scan(range, limit: limit, in: transaction) { user, _ in
            users.append(user)
            return .more
        }
        return users
    }
}
