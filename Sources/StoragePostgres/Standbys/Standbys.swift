internal import Storage
internal import Synchronization

/// The standbys of a database, on which long reads keep their views.
///
/// A read sees all that was committed before it, on a standby too: it commits a number at the
/// primary, and takes a view that shows it. If no standby has such a view in time, the read goes to
/// the primary.
final class Standbys: Sendable {
    private struct Counts {
        var reads: UInt64 = 0
        var primaryReads: UInt64 = 0
    }

    private let database: PostgresDatabase
    private let all: [Standby]
    private let mark: StandbyMark
    /// The standby that the next read tries first.
    private let turn = Atomic<Int>(0)
    private let counts = Mutex(Counts())

    init(of database: PostgresDatabase) {
        self.database = database
        all = database.options.standbys.map { Standby(database.standby(at: $0)) }
        mark = StandbyMark(database)
    }

    /// A view of everything that was committed before the call; nil if no standby has one in time.
    func snapshot() -> PostgresSnapshot? {
        let found = view()
        counts.withLock { counts in
            if found == nil { counts.primaryReads += 1 } else { counts.reads += 1 }
        }
        return found
    }

    private func view() -> PostgresSnapshot? {
        let end =
            DatabaseConnection.milliseconds() + database.options.standbyWaitMilliseconds
        let first = turn.add(1, ordering: .relaxed).oldValue
        var number: StandbyMark.Number?
        for step in all.indices {
            let standby = all[(first + step) % all.count]
            // One that gets no time would be taken for one that failed.
            guard DatabaseConnection.milliseconds() < end else { return nil }
            guard standby.claim() else { continue }
            if number == nil { number = try? mark.advance() }
            guard let number else { return nil }
            guard let connection = standby.view(of: number, until: end) else { continue }
            return PostgresSnapshot(
                connection, of: standby.pool,
                since: .init(primary: database.primary, number: number.primary))
        }
        return nil
    }

    var gauges: NetworkGauges.Standbys {
        let counts = counts.withLock { $0 }
        var gauges = NetworkGauges.Standbys()
        gauges.count = all.count
        gauges.paused = all.count { $0.isPaused }
        gauges.reads = counts.reads
        gauges.primaryReads = counts.primaryReads
        return gauges
    }

    /// The connections to all standbys together.
    var pool: NetworkGauges.Pool {
        let pools = all.map { $0.pool.gauge(named: "standbys") }
        return NetworkGauges.Pool(
            name: "standbys", used: pools.reduce(0) { $0 + $1.used },
            most: pools.reduce(0) { $0 + $1.most })
    }

    func close() {
        for standby in all { standby.pool.close() }
        mark.close()
    }
}
