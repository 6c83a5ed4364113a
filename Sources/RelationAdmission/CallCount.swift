import RelationCore
import RelationModel

/// How many calls a record of an audit stands for, and when the last one came.
struct CallCount {
    private(set) var calls: Int64 = 0
    private(set) var bytes: Int64 = 0
    private(set) var lastMs: Int64 = 0

    /// Counts the calls of a row, which are one or more.
    mutating func add(_ row: AuditRow, at now: Timestamp) {
        calls += max(1, row.count)
        bytes += row.requestBytes
        lastMs = max(lastMs, now.milliseconds)
    }
}
