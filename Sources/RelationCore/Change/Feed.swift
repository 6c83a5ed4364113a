import Storage

/// The events of an app in the order of their commits, each at a position of its own.
///
/// Positions begin with 1 and have no gaps. A reader's progress is the position of the last event
/// that it has seen, whether it follows one user or the whole app.
package enum Feed {
    /// The state of the feed of `app`; that of an empty feed if it has no event yet.
    package static func state(
        of app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> FeedState {
        try Tables.feedStates.record(app.feed, OnlyKey(), in: transaction) ?? FeedState()
    }

    /// The positions of the latest events of several apps, in their order.
    package static func positions(
        of apps: [App], in transaction: any ReadTransaction
    ) throws(StorageError) -> [Int64] {
        var keys = KeyList()
        for app in apps { Tables.feedStates.add(app.feed, OnlyKey(), to: &keys) }
        return try Tables.feedStates.records(keys, in: transaction).map { $0?.position ?? 0 }
    }

    /// The highest position whose event was made before `time`.
    ///
    /// If the feed does not reach back to it, this is a position from which no reader can go on.
    ///
    /// Times grow as positions do, but for a clock that was set back.
    static func position(
        before time: Int64, _ state: FeedState, of app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> Int64 {
        var (low, high) = (state.feedFloor, state.position)
        // All rows that end at or below `low` are older, and none above `high` is.
        while low < high {
            let middle = low + (high - low) / 2
            guard let (last, row) = try self.row(after: middle, of: app, in: transaction) else {
                high = middle
                continue
            }
            if row.timeMs < time { low = last } else { high = middle }
        }
        // If no row that is kept is older, newer ones may be gone too: a reader has to hear of it.
        return low == state.feedFloor ? max(0, low - 1) : low
    }

    /// The first row that ends above a position.
    private static func row(
        after position: Int64, of app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> (last: Int64, row: FeedRecord)? {
        let table = Tables.feed
        var found: (Int64, FeedRecord?)?
        let range = table.rows(of: app.feed, after: UInt64(max(0, position)))
        try table.scan(range, limit: 1, in: transaction) { last, bytes in
            found = (Int64(last), table.decode(bytes, in: transaction.arena))
            return .stop
        }
        guard let (last, row) = found else { return nil }
        guard let row else { throw StorageError(.corrupted, "a row of the feed does not decode") }
        return (last, row)
    }

    /// Adds the feed's state, which a write reads that changes a list or records an event.
    ///
    /// A write that is refused, or finds all as it should be, does not read it. The state of the
    /// app's history is read with it, if the app has one.
    static func addState(of app: App, to keys: inout KeyList) {
        keys.addPossible { keys in
            Tables.feedStates.add(app.id, App.feedName.utf8, OnlyKey(), to: &keys)
            guard app.keepsHistory else { return }
            Tables.historyStates.add(app.historyPartition, OnlyKey(), to: &keys)
        }
    }
}
