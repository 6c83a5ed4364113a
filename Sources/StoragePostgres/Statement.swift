internal import Storage

/// The statements that a store makes over and over; each connection prepares those of its kind.
///
/// Reads join a list of keys with the table through its only index, whatever the planner knows of
/// the table: see ``DatabaseConnection``.
enum Statement: String, CaseIterable {
    /// The rows of many keys, each with the index of its key in the list.
    case rows
    /// The rows of one partition between two keys.
    case ascending
    case descending
    /// The rows of all partitions between two keys.
    case ascendingAcross
    case descendingAcross

    /// Waits for each of the locks, in the order of the list, and counts those that another
    /// transaction had.
    ///
    /// Other transactions that name their partitions may run beside this one. The lock of the store
    /// comes last: while a transaction waits for an app, it is not in the way of one that needs
    /// the whole store.
    case lock
    /// Takes those of the locks that are free, and returns the indices of the others in the list.
    case tryLock
    /// Waits for a short time until no other transaction of the store runs, and keeps them out.
    ///
    /// Other transactions that come meanwhile wait for it, so that time is short.
    case lockAll
    /// Says how long the transaction waits for each lock, in milliseconds.
    case wait
    case set
    case remove
    /// Notes in the row of this connection's writer which transaction it is about to commit, and is
    /// refused unless the process still has its lease.
    ///
    /// So no check is needed between a check of the lease and the commit, however long a process is
    /// stopped there. A row without a number is refused by the table.
    case note
    /// The last transaction that a writer has committed.
    case noted
    /// Notifies all servers that there may be new events.
    case notify

    /// Begins and ends a transaction that goes on at the end of a question, so that the database
    /// counts how long it is idle.
    case begin
    case commit
    case rollback

    /// Takes the first lease of a process.
    case takeLease
    /// Renews the lease of a process, unless its row is gone or older than the process has seen.
    case renewLease
    /// Notifies all servers that the registry, or the number of servers, has changed.
    case notifyRegistry
    /// Counts the leases with an older version of the registry: those that are good, and those that
    /// have run out.
    case olderLeases

    static let ofReaders: [Statement] = [
        .rows, .ascending, .descending, .ascendingAcross, .descendingAcross,
    ]
    static let ofStandbys = ofReaders + [.noted]
    static let ofWriters =
        ofReaders + [.wait, .lock, .tryLock, .lockAll, .set, .remove, .note, .noted, .notify]
    /// The statements of writers whose transactions may be idle for a bounded time only.
    static let ofBoundedWriters = ofWriters + [.begin, .commit, .rollback]
    static let ofLeases =
        ofReaders + [.takeLease, .renewLease, .notifyRegistry, .olderLeases]

    var sql: String {
        switch self {
        case .rows:
            """
            SELECT q.n, r.v FROM unnest($1::bytea[], $2::bytea[]) WITH ORDINALITY AS q(p, k, n) \
            JOIN relation_kv r ON r.p = q.p AND r.k = q.k
            """
        case .ascending:
            """
            SELECT k, v FROM relation_kv WHERE p = $1::bytea AND k >= $2::bytea \
            AND k < $3::bytea ORDER BY k LIMIT $4::bigint
            """
        case .descending:
            """
            SELECT k, v FROM relation_kv WHERE p = $1::bytea AND k >= $2::bytea \
            AND k < $3::bytea ORDER BY k DESC LIMIT $4::bigint
            """
        case .ascendingAcross:
            """
            SELECT p || k, v FROM relation_kv WHERE (p, k) >= ($1::bytea, $2::bytea) \
            AND (p, k) < ($3::bytea, $4::bytea) ORDER BY p, k LIMIT $5::bigint
            """
        case .descendingAcross:
            """
            SELECT p || k, v FROM relation_kv WHERE (p, k) >= ($1::bytea, $2::bytea) \
            AND (p, k) < ($3::bytea, $4::bytea) ORDER BY p DESC, k DESC LIMIT $5::bigint
            """
        case .lock:
            """
            SELECT (SELECT count(CASE WHEN NOT pg_try_advisory_xact_lock(h) \
            THEN pg_advisory_xact_lock(h)::text END) FROM unnest($1::bigint[]) AS h), \
            pg_advisory_xact_lock_shared(\(Lock.store))
            """
        case .tryLock:
            """
            SELECT n FROM unnest($1::bigint[]) WITH ORDINALITY AS q(h, n) \
            WHERE NOT pg_try_advisory_xact_lock(h)
            """
        case .lockAll: "SELECT pg_advisory_xact_lock(\(Lock.store))"
        case .wait: "SELECT set_config('lock_timeout', '\(Limits.aloneMilliseconds)', true)"
        case .set:
            """
            INSERT INTO relation_kv AS r (p, k, v) \
            SELECT * FROM unnest($1::bytea[], $2::bytea[], $3::bytea[]) \
            ON CONFLICT (p, k) DO UPDATE SET v = excluded.v
            """
        case .remove:
            """
            DELETE FROM relation_kv r USING unnest($1::bytea[], $2::bytea[]) AS q(p, k) \
            WHERE r.p = q.p AND r.k = q.k
            """
        case .note:
            """
            INSERT INTO relation_writer AS w (id, batch) VALUES ($1::bytea, \
            CASE WHEN $3::bigint = 0 OR \(Tenure.isGood) THEN $2::bigint END) \
            ON CONFLICT (id) DO UPDATE SET batch = excluded.batch, began = now()
            """
        case .noted: "SELECT batch FROM relation_writer WHERE id = $1::bytea"
        case .notify: "SELECT pg_notify('\(PostgresPeers.channel)', 'f')"
        case .begin: "BEGIN"
        case .commit: "COMMIT"
        case .rollback: "ROLLBACK"
        case .takeLease, .renewLease, .notifyRegistry, .olderLeases: leaseSQL
        }
    }

    /// The statements about leases, in which `$1` is the name of the process.
    private var leaseSQL: String {
        switch self {
        case .takeLease:
            """
            INSERT INTO relation_server AS s VALUES (convert_from($1::bytea, 'UTF8'), \
            \(Self.leaseEnd), $2::bigint, 1::bigint << \(Tenure.bits)) \
            ON CONFLICT (id) DO UPDATE SET until = excluded.until, version = excluded.version, \
            renewal = \(Tenure.next) RETURNING \(Self.renewed)
            """
        case .renewLease:
            """
            UPDATE relation_server AS s SET until = \(Self.leaseEnd), version = $2::bigint, \
            renewal = \(Tenure.next) WHERE id = convert_from($1::bytea, 'UTF8') \
            AND renewal >= $3::bigint RETURNING \(Self.renewed)
            """
        case .olderLeases:
            """
            SELECT id || ' ' || renewal FROM relation_server \
            WHERE version < $2::bigint AND id <> convert_from($1::bytea, 'UTF8')
            """
        default: "SELECT pg_notify('\(PostgresPeers.channel)', '\(PeerSignal.registry.rawValue)')"
        }
    }

    private static let leaseEnd =
        "clock_timestamp() + interval '\(LeaseLimits.milliseconds) milliseconds'"

    /// The number of the renewal, how many other servers have a lease, and how many of them come
    /// before this one.
    private static let renewed = """
        s.renewal, (SELECT count(*) FROM relation_server AS o WHERE o.id <> s.id \
        AND o.until > clock_timestamp()), (SELECT count(*) FROM relation_server AS o \
        WHERE o.id < s.id AND o.until > clock_timestamp())
        """
}

/// The numbers of a process's leases, which stand in the upper bits of the number of its renewals.
///
/// A lease that has run out is not renewed: the process gets another one.
enum Tenure {
    static let bits = 32

    /// The number of a renewal of the row `s`.
    static let next = """
        CASE WHEN s.until > clock_timestamp() THEN s.renewal + 1 \
        ELSE ((s.renewal >> \(bits)) + 1) << \(bits) END
        """

    /// Whether the process `$4` still has the lease with the number `$3`.
    static let isGood = """
        EXISTS (SELECT FROM relation_server AS s WHERE s.id = convert_from($4::bytea, 'UTF8') \
        AND s.until > clock_timestamp() AND s.renewal >> \(bits) = $3::bigint)
        """

    static func of(_ renewal: Int64) -> Int64 { renewal >> Int64(bits) }
}

/// The database's advisory locks that a store takes.
///
/// They are numbers of one space, which all programs of a database share. A lock that another
/// program takes costs a wait, and no more.
package enum Lock {
    /// Shared by transactions that name their partitions, exclusive for one that does not.
    package static let store: Int64 = 0x7265_6C61_7469_6F6E

    /// The lock of a partition.
    ///
    /// Two partitions may have the same lock, and then wait for one another. FNV-1a: the number has
    /// to be the same in every process of every version.
    package static func number(of partition: some Sequence<UInt8>) -> Int64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in partition { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        return Int64(bitPattern: hash)
    }
}
