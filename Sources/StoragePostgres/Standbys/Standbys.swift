internal import Storage
internal import Synchronization

/// The standbys of a database, on which long reads keep their views, and which answer ordinary
/// reads.
///
/// A long read sees all that was committed before it, on a standby too: it commits a number at the
/// primary, and takes a view that shows it. If no standby has such a view in time, the read goes to
/// the primary. An ordinary read takes a view that shows an earlier number, which says how old it
/// may be and that it is of the present primary's history.
final class Standbys: Sendable, StoreStandbys {
    private struct Counts {
        var reads: UInt64 = 0
        var primaryReads: UInt64 = 0
        var answered: UInt64 = 0
        var behind: UInt64 = 0
        var away: UInt64 = 0
    }

    private let database: PostgresDatabase
    private let all: [Standby]
    private let readers: [StandbyReader]
    private let mark: StandbyMark
    private let recent: RecentMarks
    private let staleness: Int
    /// The standby that the next read tries first.
    private let nextIndex = Atomic<Int>(0)
    private let counts = Mutex(Counts())

    init(of database: PostgresDatabase) {
        self.database = database
        let standbys = database.options.standbys.map { database.standby(at: $0) }
        all = standbys.map { Standby($0) }
        readers = standbys.map { StandbyReader($0) }
        mark = StandbyMark(database)
        staleness = database.options.standbyStalenessMilliseconds
        recent = RecentMarks(
            mark, database.primary, longest: max(staleness, Limits.tokenStalenessMilliseconds))
    }

    // MARK: Ordinary reads

    var takesRecentReads: Bool { staleness > 0 }

    func read(
        _ need: StandbyNeed,
        _ body: (any ReadTransaction) throws(StorageError) -> StandbyVerdict
    ) -> StandbyOutcome {
        let outcome: StandbyOutcome
        switch need {
        case .present: return presentRead(body)
        case .recent: outcome = read(within: staleness, body)
        case .token:
            outcome = read(within: max(staleness, Limits.tokenStalenessMilliseconds), body)
        }
        counts.withLock { counts in
            switch outcome {
            case .answered: counts.answered += 1
            case .behind: counts.behind += 1
            case .away, .unsure: counts.away += 1
            }
        }
        return outcome
    }

    /// Waits until nothing runs beside the reads.
    func settle() {
        recent.settle()
        for reader in readers { reader.settle() }
    }

    private func read(
        within age: Int, _ body: (any ReadTransaction) throws(StorageError) -> StandbyVerdict
    ) -> StandbyOutcome {
        guard let number = recent.mark(within: age) else { return .away }
        let first = nextIndex.add(1, ordering: .relaxed).oldValue
        var found = StandbyOutcome.away
        for step in readers.indices {
            let reader = readers[(first &+ step) % readers.count]
            switch reader.read(number, of: database.primary, body) {
            case .answered: return .answered
            case .unsure: return .unsure
            case .behind: found = .behind
            case .away: break
            }
        }
        return found
    }

    /// A read that sees all that was committed before it.
    private func presentRead(
        _ body: (any ReadTransaction) throws(StorageError) -> StandbyVerdict
    ) -> StandbyOutcome {
        guard let snapshot = snapshot() else { return .away }
        defer { snapshot.close() }
        let verdict = try? snapshot.read(body)
        return verdict == .answered && !snapshot.isLost ? .answered : .away
    }

    // MARK: Long reads

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
        let first = nextIndex.add(1, ordering: .relaxed).oldValue
        var number: StandbyMark.Number?
        for step in all.indices {
            let standby = all[(first &+ step) % all.count]
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
        gauges.paused = zip(all, readers).count { $0.isPaused || $1.isPaused }
        gauges.reads = counts.reads
        gauges.primaryReads = counts.primaryReads
        gauges.answered = counts.answered
        gauges.behind = counts.behind
        gauges.away = counts.away
        return gauges
    }

    /// The connections to all standbys together: those of ordinary reads, and those of long ones.
    var pools: [NetworkGauges.Pool] {
        [
            Self.sum(readers.map(\.pool), named: "standby_readers"),
            Self.sum(all.map(\.pool), named: "standbys"),
        ]
    }

    private static func sum(_ pools: [ConnectionPool], named name: String) -> NetworkGauges.Pool {
        let gauges = pools.map { $0.gauge(named: name) }
        return NetworkGauges.Pool(
            name: name, used: gauges.reduce(0) { $0 + $1.used },
            most: gauges.reduce(0) { $0 + $1.most })
    }

    func close() {
        for reader in readers { reader.close() }
        recent.settle()
        for standby in all { standby.pool.close() }
        mark.close()
    }
}
