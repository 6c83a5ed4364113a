import Storage

/// The parts of an app that a database has.
package struct AppTraces {
    /// Whether its registry has the app: it serves it, has closed it, or removes it.
    package let isThere: Bool
    package let move: AppMoveRecord?
    package let hasRows: Bool

    package init(of app: UInt32, in transaction: any ReadTransaction) throws(StorageError) {
        isThere = try AppRules.record(of: app, in: transaction) != nil
        move = try MovedApps.record(of: app, in: transaction)
        var hasRows = false
        try transaction.scan(KeyRange(app: app), .ascending, limit: 1) { _, _ in
            hasRows = true
            return .stop
        }
        self.hasRows = hasRows
    }
}

/// Rules over what moves that ended have left of an app, in a database where it does not live.
///
/// Each transaction here has the lock of the app, which ``App/lockPartition(of:)`` names.
package enum AppRemains {
    /// Removes the next rows of the app, and with the last of them the note that it was to come.
    ///
    /// - Parameter ended: The number of a move to this database that has certainly ended, if the
    ///   database notes one.
    /// - Returns: How many it has removed; less than `limit` if no row is left.
    /// - Throws: ``StorageError`` with the code `foreign`: the app lives here, or is on its way.
    package static func removeRows(
        of app: UInt32, ended: UInt64?, limit: Int, in transaction: any WriteTransaction
    ) throws(StorageError) -> Int {
        guard try AppRules.record(of: app, in: transaction) == nil else {
            throw AppMoves.refusal("app \(app) lives there")
        }
        var record = try MovedApps.record(of: app, in: transaction)
        switch record?.state {
        case .arriving:
            guard let known = record, known.id == ended else {
                throw AppMoves.refusal("app \(app) is on its way there by another move")
            }
            let isDone = try AppArrival.abandon(
                app, id: known.id, run: nil, limit: limit, in: transaction)
            return isDone ? 0 : limit
        case .leaving, .closed:
            throw StorageError(.corrupted, "app \(app) is on its way and has no definition")
        case .left, .arrived, nil:
            let rows = try transaction.removeRows(of: KeyRange(app: app), limit: limit)
            if rows < limit, record?.state == .left, record?.isEmptied == false {
                record?.isEmptied = true
                if let record { try AppMoves.set(record, of: app, in: transaction) }
            }
            return rows
        }
    }

    /// Forgets that the app has left or came here: its number is free from then on.
    ///
    /// - Precondition: No other database has the app.
    /// - Throws: ``StorageError`` with the code `foreign`: the app lives here, or is on its way.
    package static func forget(
        _ app: UInt32, in transaction: any WriteTransaction
    ) throws(StorageError) {
        try transaction.lock([App.registry.partition])
        guard try AppRules.record(of: app, in: transaction) == nil else {
            throw AppMoves.refusal("app \(app) lives there")
        }
        let record = try MovedApps.record(of: app, in: transaction)
        switch record?.state {
        case .left, .arrived: break
        case nil: return
        case .leaving, .closed, .arriving:
            throw AppMoves.refusal("app \(app) is on its way there by another move")
        }
        Tables.appMoves.remove(App.registry.partition, AppNumber(app), in: transaction)
        _ = try AppRules.renew(in: transaction)
    }
}
