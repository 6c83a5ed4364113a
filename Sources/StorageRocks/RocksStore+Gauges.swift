internal import CRocksDB
package import Storage

// The state of the engine, for an operator.
extension RocksStore {
    package func gauges() -> StoreGauges {
        var gauges = StoreGauges()
        guard (try? readers.enter()) != nil else { return gauges }
        defer { readers.exit() }
        func number(_ name: String) -> Int64 { database.number("rocksdb.\(name)") }
        gauges.rows = number("estimate-num-keys")
        gauges.diskBytes = number("total-sst-files-size")
        gauges.filesByLevel = (0..<Limits.levels).map { level in
            database.text("rocksdb.num-files-at-level\(level)").flatMap { Int64($0) } ?? 0
        }
        gauges.writeBufferBytes = number("cur-size-all-mem-tables")
        gauges.fullWriteBuffers = number("num-immutable-mem-table")
        gauges.cacheBytes = number("block-cache-usage")
        gauges.cacheMostBytes = number("block-cache-capacity")
        gauges.indexBytes = number("estimate-table-readers-mem")
        gauges.runningFlushes = number("num-running-flushes")
        gauges.runningCompactions = number("num-running-compactions")
        gauges.pendingCompactionBytes = number("estimate-pending-compaction-bytes")
        gauges.isStopped = number("is-write-stopped") > 0
        gauges.delayedBytesPerSecond = number("actual-delayed-write-rate")
        gauges.snapshots = number("num-snapshots")
        let report = database.text("rocksdb.cfstats-no-file-histogram") ?? ""
        gauges.stalls = StallReport.stalls(in: report)
        gauges.commits = Int64(commitCount)
        gauges.freeBytes = freeBytes()
        gauges.reserveBytes = reserveBytes
        return gauges
    }
}

/// The line of the engine's report that says how often it held writes up.
enum StallReport {
    /// The engine's causes, in its own order; empty if the report has no such line.
    ///
    /// The line is `Stalls(count): 0 level0_slowdown, 2 memtable_compaction, interval 0 total
    /// count`.
    static func stalls(in report: String) -> [StoreGauges.Stall] {
        let start = "Stalls(count): "
        let line = report.split(separator: "\n").first { $0.hasPrefix(start) }
        guard let line else { return [] }
        return line.dropFirst(start.count).split(separator: ",").compactMap { part in
            let words = part.split(separator: " ")
            guard words.count >= 2, let count = UInt64(words[0]) else { return nil }
            let cause = words.dropFirst().joined(separator: "_")
            return StoreGauges.Stall(cause: cause, count: count)
        }
    }
}
