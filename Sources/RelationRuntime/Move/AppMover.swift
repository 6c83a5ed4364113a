package import RelationCore
package import Storage

/// Moves an app from one database to another while servers serve it.
///
/// 1. Both databases note the move, and the source notes each key of the app that changes.
/// 2. All rows are copied, piece by piece, and then the rows that have changed meanwhile, again and
///    again. Both databases are compared.
/// 3. The source closes the app, and waits until every server knows. The last changes are brought
///    over, and the target serves the app.
/// 4. The source's rows are removed.
///
/// No snapshot is kept: a row that changes after it was read is among the changes. A mover that
/// ends at any point is begun again in the same way, and goes on. See ``AppMoves`` for what keeps
/// an app from being active in both.
package final class AppMover {
    package struct Route: Sendable {
        package let app: UInt32
        /// The names of the databases, by which each notes the other one.
        package let source: String
        package let target: String

        package init(app: UInt32, source: String, target: String) {
            (self.app, self.source, self.target) = (app, source, target)
        }
    }

    let route: Route
    let source: any Store
    let target: any Store
    let log: any MoveLog
    let clock: MoveClock
    let notify: (MoveNote) -> Void
    /// The number of the move, if it is a new one.
    private let id: UInt64
    /// Whether the bytes of an answer that is kept in a registry are about the app.
    private let isAbout: ([UInt8], UInt32) -> Bool
    /// Notes for all servers that the app lives in the target.
    private let settle: () throws(StorageError) -> Void
    private var pace: MovePace
    private var beatAt = Int64.min
    private var notedAt = Int64.min

    /// - Parameters:
    ///   - id: A random number, of which a new move is known in both databases.
    ///   - rate: The most rows that are copied, compared or removed in a second.
    ///   - isAbout: Whether the bytes of an answer, which a registry keeps under a request id, are
    ///     about an app: these answers go with it.
    ///   - settle: Notes that the app lives in the target; it may be called several times.
    package init(
        _ route: Route, from source: any Store, to target: any Store, log: any MoveLog,
        id: UInt64, rate: Int = MoveLimits.rowsPerSecond, clock: MoveClock,
        isAbout: @escaping ([UInt8], UInt32) -> Bool = { _, _ in false },
        settle: @escaping () throws(StorageError) -> Void = {},
        notify: @escaping (MoveNote) -> Void = { _ in }
    ) {
        (self.route, self.source, self.target, self.log) = (route, source, target, log)
        (self.id, self.clock, self.settle, self.notify) = (id, clock, settle, notify)
        self.isAbout = isAbout
        pace = MovePace(rate: rate, at: clock.milliseconds())
    }

    var app: UInt32 { route.app }

    /// Moves the app, or goes on with a move that was begun.
    ///
    /// - Parameter force: Whether it takes over from a mover that was there just now.
    /// - Throws: ``StorageError``: `foreign` if the app cannot go there; `locked` if another mover
    ///   has the move; `unavailable` or `outcomeUnknown` if a database is away: the same command
    ///   goes on.
    package func run(takingOver force: Bool = false) throws(StorageError) {
        try log.take(force: force)
        let now = clock.now()
        let move = try atSource { [app, route, id] (transaction) throws(StorageError) in
            try AppMoves.take(app, to: route.target, id: id, at: now, in: transaction)
        }
        let mover = AppMoves.Mover(app, move)
        if move.state == .left { return try finish(mover) }
        let arrival: AppMoveRecord
        do throws(StorageError) {
            arrival = try atTarget { [app, route] (transaction) throws(StorageError) in
                try AppArrival.receive(app, move, from: route.source, in: transaction)
            }
        } catch {
            // Nothing was begun there, so nothing is left here.
            if error.code == .foreign, move.run == 1 {
                try atSource { (transaction) throws(StorageError) in
                    try AppMoves.cancel(mover, in: transaction)
                }
                try log.leave()
            }
            throw error
        }
        notify(.begun)
        if arrival.state == .arrived {
            try leave(mover)
            return try finish(mover)
        }
        let isWhole = try log.begin()
        if move.state == .closed, !isWhole { try open(mover, "its changes were not noted") }
        if move.state != .closed || !isWhole {
            try copy(mover, isWhole ? arrival : nil)
            try follow(mover)
            try compare(mover)
            observe()
            try follow(mover)
        }
        try switchOver(mover)
        try finish(mover)
    }

    // MARK: Rows

    /// Copies all rows once, those after the last one that was copied.
    private func copy(
        _ mover: AppMoves.Mover, _ arrival: AppMoveRecord?
    ) throws(StorageError) {
        var last = arrival?.last ?? []
        var rows = arrival?.rows ?? 0
        var isCopied = arrival?.isCopied ?? false
        var keepingUp = KeepingUp()
        while !isCopied {
            let piece = try MovePiece(of: app, in: source, after: last, limit: pace.rows)
            last = piece.rows.last?.key.bytes ?? last
            rows += Int64(piece.rows.count)
            isCopied = piece.isLast
            let reached = (last: last, rows: rows, isCopied: isCopied)
            try atTarget { (transaction) throws(StorageError) in
                try AppArrival.check(mover, in: transaction) { record in
                    (record.last, record.rows) = (reached.last, reached.rows)
                    record.isCopied = reached.isCopied
                }
                for row in piece.rows { transaction.set(row.key, to: row.value) }
            }
            tell(.copying(rows: rows), always: isCopied)
            try rest(after: piece.rows.count)
            try keepUp(mover, &keepingUp)
        }
    }

    /// Whether changes wait that should be applied between two pieces.
    private struct KeepingUp {
        var pieces = 0
        var isBehind = false
    }

    /// Brings changes over between two pieces of rows, after some pieces or if many wait.
    private func keepUp(
        _ mover: AppMoves.Mover, _ state: inout KeepingUp
    ) throws(StorageError) {
        state.pieces += 1
        guard state.isBehind || state.pieces.isMultiple(of: MoveLimits.piecesPerChanges) else {
            return
        }
        let count = try bringChanges(mover)
        state.isBehind = count == MoveLimits.changes
        pace.changed(count)
    }

    /// Brings changes over until few come in one round.
    private func follow(_ mover: AppMoves.Mover) throws(StorageError) {
        for _ in 0..<MoveLimits.rounds {
            let count = try bringChanges(mover)
            tell(.following(changes: count), always: count <= MoveLimits.fewChanges)
            try beat()
            if count <= MoveLimits.fewChanges { return }
        }
        throw StorageError(
            .unavailable,
            "app \(app) changes faster than its changes are applied; try at a quieter time")
    }

    /// Brings the first changes over that were noted.
    ///
    /// - Returns: How many there were.
    private func bringChanges(_ mover: AppMoves.Mover) throws(StorageError) -> Int {
        let changes = try log.changes(limit: MoveLimits.changes)
        try bring(Set(changes.map(\.key)).sorted(), mover)
        try log.forget(changes.map(\.number))
        return changes.count
    }

    /// Brings rows over as they are now, in transactions of ``MoveLimits/bytes`` and one row more
    /// at most.
    ///
    /// The changes are forgotten when all of them have come. So a mover that ends between two
    /// transactions copies them again.
    private func bring(_ keys: [Key], _ mover: AppMoves.Mover) throws(StorageError) {
        var (first, limit) = (0, MoveLimits.rows)
        while first < keys.count {
            let part = keys[first..<min(first + limit, keys.count)]
            let values = try present(part)
            var (written, bytes, all) = (part.startIndex, 0, 0)
            for (index, value) in zip(part.indices, values) {
                let length = keys[index].bytes.count + (value?.count ?? 0)
                (bytes, all) = (bytes + length, all + length)
                guard bytes >= MoveLimits.bytes || index == part.indices.last else { continue }
                let rows = (written...index).map { (key: keys[$0], value: values[$0 - first]) }
                try set(rows, mover)
                (written, bytes) = (index + 1, 0)
            }
            first = part.endIndex
            // Long rows are read in smaller parts, since a part of them stands in memory.
            limit = all > MoveLimits.bytes ? max(1, limit / 2) : min(MoveLimits.rows, limit * 2)
        }
    }

    /// The values that the source has now; nil for a row that is gone.
    private func present(_ keys: ArraySlice<Key>) throws(StorageError) -> [[UInt8]?] {
        var values: [[UInt8]?] = []
        var list = KeyList()
        for key in keys { list.append(key) }
        try source.read { (transaction) throws(StorageError) in
            values = Array(repeating: nil, count: keys.count)
            try transaction.read(list) { index, value in values[index] = value.map(Array.init) }
        }
        return values
    }

    private func set(
        _ rows: [(key: Key, value: [UInt8]?)], _ mover: AppMoves.Mover
    ) throws(StorageError) {
        try atTarget { (transaction) throws(StorageError) in
            try AppArrival.check(mover, in: transaction)
            for (key, value) in rows {
                if let value {
                    transaction.set(key, to: value)
                } else {
                    transaction.remove(key)
                }
            }
        }
    }

    /// Compares both databases, and copies each row again that differs.
    ///
    /// Rows that change meanwhile may differ too; all others differ only if a change was not noted.
    private func compare(_ mover: AppMoves.Mover) throws(StorageError) {
        var last: [UInt8] = []
        var (rows, renewed) = (Int64(0), Int64(0))
        var keepingUp = KeepingUp()
        while true {
            let mine = try MovePiece(of: app, in: source, after: last, limit: pace.rows)
            let theirs = try MovePiece(of: app, in: target, after: last, limit: pace.rows)
            let (keys, end) = mine.differences(from: theirs)
            try bring(keys, mover)
            rows += Int64(mine.rows.count)
            renewed += Int64(keys.count)
            tell(.comparing(rows: rows, renewed: renewed), always: end == nil)
            try rest(after: mine.rows.count)
            guard let end else { return }
            last = end
            try keepUp(mover, &keepingUp)
        }
    }

    // MARK: The switch

    /// Looks at the leases of the source's servers, while the app is still served.
    ///
    /// So leases of servers that are gone are not waited for while the app is closed.
    private func observe() {
        guard let peers = source.peers else { return }
        notify(.observing)
        // No server ever confirms this version.
        peers.settle(.max, byThisProcessToo: true)
    }

    /// Closes the app at the source, and has the target serve it.
    private func switchOver(_ mover: AppMoves.Mover) throws(StorageError) {
        var attempts = 0
        // The one that made the app is among them, and was given long ago.
        let answers = try source.read { [app, isAbout] (transaction) throws(StorageError) in
            try MovedAnswers.all(in: transaction) { isAbout($0, app) }
        }
        while true {
            attempts += 1
            let began = clock.milliseconds()
            let version: Int64
            do throws(StorageError) {
                version = try activate(mover, try close(mover, at: began), answers)
            } catch {
                // In all other cases the target has certainly not taken the app.
                guard error.code != .outcomeUnknown, error.code != .locked else { throw error }
                try open(mover, error.message)
                guard attempts < MoveLimits.attempts,
                    error.code == .unavailable || error.code == .conflict
                else { throw error }
                clock.pause(MoveLimits.pauseMilliseconds)
                try follow(mover)
                continue
            }
            try settle()
            // Servers that have not heard of the app yet say that it is on its way.
            target.peers?.settle(version, byThisProcessToo: true)
            notify(.arrived(milliseconds: clock.milliseconds() - began))
            return try leave(mover)
        }
    }

    /// Closes the app, and applies the last changes.
    private func close(
        _ mover: AppMoves.Mover, at began: Int64
    ) throws(StorageError) -> (app: AppRecord, move: AppMoveRecord) {
        let version = try atSource { (transaction) throws(StorageError) in
            try AppMoves.close(mover, in: transaction)
        }
        notify(.closed)
        // From then on no server lets a call into the app.
        source.peers?.settle(version, byThisProcessToo: true)
        // Calls that were let in before have ended: they held the lock of the app.
        let content = try atSource { (transaction) throws(StorageError) in
            try AppMoves.content(mover, in: transaction)
        }
        while try bringChanges(mover) > 0 {
            guard clock.milliseconds() - began < MoveLimits.closedMilliseconds else {
                throw StorageError(.unavailable, "the last changes took too long")
            }
        }
        return content
    }

    /// - Returns: The version of the target's registry that has the app.
    private func activate(
        _ mover: AppMoves.Mover, _ content: (app: AppRecord, move: AppMoveRecord),
        _ answers: [MovedAnswers.Answer]
    ) throws(StorageError) -> Int64 {
        let now = clock.now()
        do throws(StorageError) {
            return try atTarget { (transaction) throws(StorageError) in
                try AppArrival.activate(
                    mover, content.app, content.move, answers, at: now, in: transaction)
            }
        } catch  where error.code == .outcomeUnknown {
            let end = clock.milliseconds() + MoveLimits.outcomeMilliseconds
            while true {
                do throws(StorageError) {
                    // The lock of the app is free when the transaction has ended, either way.
                    let found = try atTarget { [app] (transaction) throws(StorageError) in
                        (
                            try MovedApps.record(of: app, in: transaction),
                            try AppRules.version(in: transaction)
                        )
                    }
                    if found.0?.id == mover.id, found.0?.state == .arrived { return found.1 }
                    throw StorageError(.conflict, "the target has not taken the app")
                } catch  where error.code != .conflict {
                    guard clock.milliseconds() < end else {
                        throw StorageError(
                            .outcomeUnknown,
                            "it is unknown whether the target serves app \(app) now; run the "
                                + "command again when the target is back")
                    }
                    clock.pause(MoveLimits.pauseMilliseconds)
                }
            }
        }
    }

    private func open(_ mover: AppMoves.Mover, _ why: String) throws(StorageError) {
        try atSource { (transaction) throws(StorageError) in
            try AppMoves.reopen(mover, in: transaction)
        }
        notify(.opened(why: why))
    }

    /// Notes at the source that the target serves the app.
    private func leave(_ mover: AppMoves.Mover) throws(StorageError) {
        try settle()
        try atSource { (transaction) throws(StorageError) in
            try AppMoves.leave(mover, in: transaction)
        }
    }

    // MARK: The end

    /// Removes what the source has of the app.
    private func finish(_ mover: AppMoves.Mover) throws(StorageError) {
        try settle()
        try log.end()
        var rows: Int64 = 0
        while true {
            let limit = pace.rows
            let removed = try atSource { (transaction) throws(StorageError) in
                try AppMoves.removeLeft(mover, limit: limit, in: transaction)
            }
            rows += Int64(removed)
            tell(.removing(rows: rows), always: removed < limit)
            if removed < limit { break }
            try rest(after: removed)
        }
        try log.leave()
        notify(.ended)
    }

    // MARK: Steps

    func atSource<Result>(
        _ body: (any WriteTransaction) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        try source.write(touching: [App.lockPartition(of: app)], body)
    }

    func atTarget<Result>(
        _ body: (any WriteTransaction) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        try target.write(touching: [App.lockPartition(of: app)], body)
    }

    /// Waits as long as the rate asks for.
    func rest(after rows: Int) throws(StorageError) {
        let wait = pace.handled(rows, at: clock.milliseconds())
        if wait > 0 { clock.pause(wait) }
        try beat()
    }

    private func beat() throws(StorageError) {
        let now = clock.milliseconds()
        guard now >= beatAt else { return }
        beatAt = now + MoveLimits.beatMilliseconds
        try log.beat()
    }

    func tell(_ note: MoveNote, always: Bool) {
        let now = clock.milliseconds()
        guard always || now >= notedAt else { return }
        notedAt = now + MoveLimits.noteMilliseconds
        notify(note)
    }
}
