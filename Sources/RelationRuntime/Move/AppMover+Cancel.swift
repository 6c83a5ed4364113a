package import RelationCore
import Storage

extension AppMover {
    /// Ends a move that did not come to its end: the source serves the app as before, and the
    /// target loses what has come.
    ///
    /// - Parameters:
    ///   - force: Whether it takes over from a mover that was there just now.
    ///   - reachesTarget: Whether the target is there. Without it a move can be ended that has not
    ///     closed the app; what has come to the target stays there until this is run again.
    /// - Throws: ``StorageError``: `foreign` if there is no such move, or it is over; `unavailable`
    ///   if the app is closed, and only the target knows whether it serves it; and the errors of
    ///   ``run(takingOver:)``.
    package func cancel(
        takingOver force: Bool = false, reachesTarget: Bool = true
    ) throws(StorageError) {
        try log.take(force: force)
        let known = try atSource { [app] (transaction) throws(StorageError) in
            try MovedApps.record(of: app, in: transaction)
        }
        switch known?.state {
        case .left: throw StorageError(.foreign, "the move is over: app \(app) lives in the target")
        case .arriving:
            throw StorageError(.foreign, "app \(app) comes here: cancel that at its source")
        case .leaving, .closed: break
        case .arrived, nil:
            // An earlier cancelling has ended between both databases.
            guard reachesTarget else {
                try log.end()
                try log.leave()
                throw StorageError(.unavailable, "the target is not there")
            }
            let isThere = try removeStray()
            try log.end()
            try log.leave()
            guard isThere else { throw StorageError(.foreign, "there is no move of app \(app)") }
            return notify(.cancelled)
        }
        let now = clock.now()
        let move = try atSource { [app, route] (transaction) throws(StorageError) in
            try AppMoves.take(app, to: route.target, id: 0, at: now, in: transaction)
        }
        let mover = AppMoves.Mover(app, move)
        guard reachesTarget || move.state == .leaving else {
            throw StorageError(
                .unavailable,
                "app \(app) is closed, and only the target knows whether it serves it")
        }
        // The target first: from then on no earlier mover can have it take the app.
        let isGone = reachesTarget ? try abandon(move.id, move.run) : true
        try atSource { (transaction) throws(StorageError) in
            try AppMoves.cancel(mover, in: transaction)
        }
        if !isGone { try abandonAll(move.id, move.run) }
        try log.end()
        try log.leave()
        notify(.cancelled)
    }

    /// Removes what has come by a move of which the source knows nothing any more.
    ///
    /// - Returns: Whether there is such a move.
    private func removeStray() throws(StorageError) -> Bool {
        let stray = try atTarget { [app] (transaction) throws(StorageError) in
            try MovedApps.record(of: app, in: transaction)
        }
        guard let stray, stray.state == .arriving, stray.other == route.source else {
            return false
        }
        try abandonAll(stray.id, nil)
        return true
    }

    private func abandonAll(_ id: UInt64, _ run: UInt64?) throws(StorageError) {
        var rows: Int64 = 0
        while try !abandon(id, run) {
            rows += Int64(MoveLimits.rows)
            tell(.removing(rows: rows), always: false)
            try rest(after: MoveLimits.rows)
        }
    }

    /// - Returns: Whether nothing is left.
    private func abandon(_ id: UInt64, _ run: UInt64?) throws(StorageError) -> Bool {
        try atTarget { [app] (transaction) throws(StorageError) in
            try AppArrival.abandon(
                app, id: id, run: run, limit: MoveLimits.rows, in: transaction)
        }
    }
}
