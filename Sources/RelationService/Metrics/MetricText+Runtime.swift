import Meters
import RelationAdmission
import RelationCore
import RelationRuntime

// The threads behind the loops, and the memory that answers reads.
extension MetricText {
    mutating func addCommits(of reading: CommitReading) {
        family("relation_commits_total", .counter, "Transactions of writes that callers made.")
        sample(reading.transactions)
        family(
            "relation_background_commits_total", .counter,
            "Transactions of work that no caller waits for.")
        sample(reading.background)
        family("relation_failed_commits_total", .counter, "Transactions that wrote nothing.")
        sample(reading.failed)
        family(
            "relation_commit_batch_operations", .histogram,
            "Operations that shared one transaction and one sync.")
        histogram(reading.sizes)
        family(
            "relation_commit_wait_seconds", .histogram,
            "How long a write waited for its transaction to begin.")
        histogram(reading.waits, unit: 1e9)
        family(
            "relation_commit_duration_seconds", .histogram,
            "From the beginning of a transaction until its answers are published.")
        histogram(reading.lengths, unit: 1e9)
        family(
            "relation_commit_part_seconds_total", .counter,
            "Time of all transactions by part: turn, read, rules, memory, sync, publish.")
        for (name, nanoseconds) in reading.parts {
            seconds(ofNanoseconds: nanoseconds, ["part": name])
        }
        family(
            "relation_waiting_operations", .gauge,
            "Operations of writes that wait for a transaction, or are in one.")
        sample(reading.waitingOperations)
        family(
            "relation_waiting_operations_max", .gauge,
            "Operations that may wait; beyond this a write is refused.")
        sample(RuntimeLimits.waitingOperations)
        family(
            "relation_refused_writes_total", .counter,
            "Writes that were refused because too much waits, or for too long.")
        sample(reading.refused)
        family(
            "relation_dropped_writes_total", .counter,
            "Writes that were cancelled, or past their deadline, before they ran.")
        sample(reading.dropped)
    }

    mutating func addReaders(_ pools: [(name: String, reading: ReaderReading)]) {
        family("relation_reader_waiting", .gauge, "Reads that wait for a thread, by pool.")
        for pool in pools { sample(pool.reading.waiting, ["pool": pool.name]) }
        family("relation_reader_threads", .gauge, "Threads that have begun, by pool.")
        for pool in pools { sample(pool.reading.threads, ["pool": pool.name]) }
        family("relation_reader_reads_total", .counter, "Reads that a pool has taken.")
        for pool in pools { sample(pool.reading.submitted, ["pool": pool.name]) }
        family(
            "relation_reader_refused_total", .counter,
            "Reads that were refused because too many waited.")
        for pool in pools { sample(pool.reading.refused, ["pool": pool.name]) }
        family(
            "relation_reader_dropped_total", .counter,
            "Reads that were cancelled, or past their deadline, before they ran.")
        for pool in pools { sample(pool.reading.dropped, ["pool": pool.name]) }
        family("relation_reader_wait_seconds", .histogram, "How long a read waited for a thread.")
        for pool in pools { histogram(pool.reading.waits, unit: 1e9, ["pool": pool.name]) }
        family(
            "relation_reader_duration_seconds", .histogram,
            "How long a thread took for a read.")
        for pool in pools { histogram(pool.reading.lengths, unit: 1e9, ["pool": pool.name]) }
    }

    /// The histories that apps keep of their relations.
    mutating func addHistories(_ reading: (bytes: Int64, fullest: Double)) {
        family(
            "relation_history_bytes", .gauge,
            "Bytes of the histories of all apps, when the maintenance of this server saw them.")
        sample(Int(reading.bytes))
        family(
            "relation_history_fullest_ratio", .gauge,
            "Bytes of the fullest history of an app by those that it may have, history_bytes.")
        sample(reading.fullest)
    }

    /// The slots for calls on a server that records every call of administrators and operators.
    mutating func addAudit(_ calls: AuditedCalls.Reading) {
        family(
            "relation_audit_waiting_records", .gauge,
            "Slots that calls under way, and records that wait for the store, have in the audit.")
        sample(calls.taken)
        family("relation_audit_max_waiting_records", .gauge, "Slots that there are.")
        sample(calls.most)
        family(
            "relation_audit_refused_calls_total", .counter,
            "Calls beyond the records that may wait: refused, or failed without a record.")
        sample(calls.refused)
    }

    mutating func addCaches(_ caches: [(name: String, reading: CacheReading)]) {
        family("relation_cache_bytes", .gauge, "Bytes of a part of the read cache.")
        for cache in caches { sample(cache.reading.bytes, ["cache": cache.name]) }
        family("relation_cache_max_bytes", .gauge, "Bytes that this part may take.")
        for cache in caches { sample(cache.reading.mostBytes, ["cache": cache.name]) }
        family("relation_cache_entries", .gauge, "Entries of a part of the read cache.")
        for cache in caches { sample(cache.reading.entries, ["cache": cache.name]) }
        family("relation_cache_hits_total", .counter, "Look-ups that found an entry.")
        for cache in caches { sample(cache.reading.found, ["cache": cache.name]) }
        family("relation_cache_misses_total", .counter, "Look-ups that found no entry.")
        for cache in caches { sample(cache.reading.notFound, ["cache": cache.name]) }
        family(
            "relation_cache_evictions_total", .counter,
            "Entries that were evicted to make room.")
        for cache in caches { sample(cache.reading.evictions, ["cache": cache.name]) }
    }
}
