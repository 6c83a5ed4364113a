internal import CPostgres
package import Storage
internal import Synchronization

/// The one server of the database that this process takes its answers from.
///
/// A primary that was given up may wake up and answer as before, since it has not heard of the new
/// one. So each connection asks with whom it speaks. Servers with a higher timeline have taken over
/// from those with a lower one. Of several with the same one, which are one server before and after
/// a restart, the lease decides. Connections to any other server than the present one are dropped.
package final class Primary: Sendable {
    /// The numbers that tell one server of the database from another one.
    package struct Identity: Equatable, Sendable {
        /// The number that all servers of a replicated database have in common.
        package var system: String
        /// The count of takeovers; 0 on a standby.
        package var timeline: UInt32
        /// When it was started.
        package var started: String

        package init(system: String, timeline: UInt32, started: String) {
            (self.system, self.timeline, self.started) = (system, timeline, started)
        }
    }

    /// The purpose of a connection.
    package enum Use: Sendable {
        /// The lease, which goes where it can be renewed.
        case lease
        case other
    }

    private let present = Mutex<Identity?>(nil)
    private let changes = Atomic<UInt64>(0)
    private let breaks = Atomic<UInt64>(0)
    /// The index of the address at which it was found.
    let index = Atomic<Int>(0)

    /// Whether any server may be the present one, as for one from which rows are only read.
    private let takesAny: Bool

    package init(takingAny takesAny: Bool = false) {
        self.takesAny = takesAny
    }

    /// The number of the present server among those that this process had.
    package var number: UInt64 { changes.load(ordering: .acquiring) }

    /// How often the connection of the lease has broken: connections from before may be silent.
    var suspicion: UInt64 { breaks.load(ordering: .acquiring) }

    /// Notes that the connection of the lease has broken.
    func suspectConnections() {
        breaks.add(1, ordering: .releasing)
    }

    /// Judges a server that a new connection has found.
    ///
    /// - Parameter lease: The lease of this process; nil if it has taken none yet.
    /// - Returns: The number of the server.
    /// - Throws: ``StorageError`` with the code `unavailable` if it is not the present one.
    package func admit(
        _ found: Identity, for use: Use, _ lease: Lease?
    ) throws(StorageError) -> UInt64 {
        try present.withLock { (present) throws(StorageError) in
            guard let known = present else {
                present = found
                return changes.add(1, ordering: .releasing).newValue
            }
            guard found != known else { return number }
            guard !takesAny else {
                present = found
                return changes.add(1, ordering: .releasing).newValue
            }
            let isSameSystem = found.system == known.system
            if isSameSystem, found.timeline < known.timeline {
                throw StorageError(
                    .unavailable,
                    "another server has taken over from this one: it is on the timeline "
                        + "\(found.timeline), and the primary on \(known.timeline)")
            }
            let hasTakenOver = isSameSystem && found.timeline > known.timeline
            guard hasTakenOver || use == .lease || lease == nil else {
                throw StorageError(
                    .unavailable, "the server was started anew, and has not renewed the lease yet")
            }
            present = found
            // The clocks of two servers differ, and with them the end of the lease.
            if found.timeline != known.timeline || !isSameSystem { lease?.suspend() }
            return changes.add(1, ordering: .releasing).newValue
        }
    }
}

extension Primary.Identity {
    /// An expression for ``init(_:)``.
    ///
    /// The name of a WAL file begins with the timeline. A checkpoint would show an earlier one for
    /// a while.
    static let sql = """
        (SELECT system_identifier FROM pg_control_system()) || ' ' \
        || CASE WHEN pg_is_in_recovery() THEN '0' \
        ELSE left(pg_walfile_name(pg_current_wal_lsn()), 8) END || ' ' \
        || extract(epoch FROM pg_postmaster_start_time())
        """

    init?(_ text: String) {
        let parts = text.split(separator: " ")
        guard parts.count == 3, let timeline = UInt32(parts[1], radix: 16) else { return nil }
        (system, self.timeline, started) = (String(parts[0]), timeline, String(parts[2]))
    }
}
