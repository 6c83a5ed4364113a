import Storage

/// The apps of which the registry notes a move.
package enum MovedApps {
    package static func record(
        of app: UInt32, in transaction: any ReadTransaction
    ) throws(StorageError) -> AppMoveRecord? {
        try Tables.appMoves.record(App.registry.partition, AppNumber(app), in: transaction)
    }

    /// All moves of which the store knows, in the order of the apps.
    package static func all(
        in transaction: any ReadTransaction
    ) throws(StorageError) -> [(app: UInt32, record: AppMoveRecord)] {
        var rows: [(app: UInt32, record: AppMoveRecord)] = []
        var isBroken = false
        let table = Tables.appMoves
        let range = table.all(of: App.registry.partition)
        try table.scan(range, limit: .max, in: transaction) { key, bytes in
            guard let record = table.decode(bytes, in: transaction.arena) else {
                isBroken = true
                return .stop
            }
            rows.append((key.id, record))
            return .more
        }
        if isBroken { throw StorageError(.corrupted, "the row of a move does not decode") }
        return rows
    }

    /// The apps that live in another database, or are about to come from or go to one.
    ///
    /// The store serves none of them.
    package static func away(in transaction: any ReadTransaction) throws(StorageError) -> [UInt32] {
        try all(in: transaction).filter { isAway($0.record) }.map(\.app)
    }

    /// Whether an app is one of those, so that its number is not free.
    static func isAway(
        _ app: UInt32, in transaction: any ReadTransaction
    ) throws(StorageError) -> Bool {
        try record(of: app, in: transaction).map(isAway) ?? false
    }

    private static func isAway(_ record: AppMoveRecord) -> Bool {
        switch record.state {
        case .closed, .left, .arriving: true
        case .leaving, .arrived, nil: false
        }
    }
}
