import Storage

/// The tables of a modelled database that are logged: what is left of it after a crash.
struct ModelTables: Sendable {
    var rows = MemoryRows()
    /// The number of the last transaction of each writer.
    var batches: [[UInt8]: Int64] = [:]
    /// The lease of each process, by its name.
    var leases: [String: ModelLease] = [:]

    mutating func apply(_ change: ModelChange) {
        for row in change.rows { rows.set(row.key, to: row.value) }
        batches.merge(change.batches) { $1 }
        for (process, lease) in change.leases { leases[process] = lease }
    }
}

/// A row of the table of leases.
struct ModelLease: Sendable {
    /// By the clock of the database, in nanoseconds.
    var until: UInt64
    var version: Int64
    /// The number of the renewal; its upper bits are that of the lease.
    var renewal: Int64

    /// How many lower bits of a renewal's number count the renewals of one lease.
    static let tenureBits: Int64 = 32

    var tenure: Int64 { renewal >> Self.tenureBits }
}

/// The changes of one transaction.
struct ModelChange: Sendable {
    /// A row, or that it is gone.
    struct Row: Sendable {
        let key: [UInt8]
        let value: [UInt8]?
    }

    var rows: [Row] = []
    var batches: [[UInt8]: Int64] = [:]
    var leases: [String: ModelLease?] = [:]

    var isEmpty: Bool { rows.isEmpty && batches.isEmpty && leases.isEmpty }
}
