/// How far a process has seen the database come: a database that lacks any of it has gone back.
struct ModelSeen {
    /// The name of the process.
    let process: String
    /// The number of the last renewal that was answered.
    var renewal: Int64?
    /// The last transaction of each writer that was answered.
    var batches: [[UInt8]: Int64] = [:]
    /// The other processes that had a lease then, and those whose names come before; nil before the
    /// first renewal.
    var others: Int?
    var earlier: Int?
    var isLost = false

    /// Whether tables have all of it.
    func isIn(_ tables: ModelTables) -> Bool {
        if let renewal, tables.leases[process]?.renewal ?? 0 < renewal { return false }
        return batches.allSatisfy { tables.batches[$0.key] ?? 0 >= $0.value }
    }
}
