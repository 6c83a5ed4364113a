import Meters
import RelationChanges
import Storage

// The store, and the streams that report its changes.
extension MetricText {
    /// Adds the numbers of the store, and of its backups if it makes any.
    ///
    /// - Parameter backupSeconds: The seconds between backups; 0 if only calls make them.
    mutating func add(_ store: any Store, backupSeconds: Int) {
        addStore(store.gauges())
        if let lease = store.peers?.lease { addLease(remaining: lease.remainingNanoseconds) }
        guard let backups = store.backups else { return }
        addBackups(backups.gauges, everySeconds: backupSeconds)
    }

    private mutating func addStore(_ gauges: StoreGauges) {
        if let network = gauges.network { return addDatabase(network) }
        gauge("relation_store_rows", "Rows of the store, as the engine estimates.", gauges.rows)
        gauge("relation_store_disk_bytes", "Bytes of the files of rows.", gauges.diskBytes)
        family("relation_store_files", .gauge, "SST files, by the level of the engine.")
        for (level, count) in gauges.filesByLevel.enumerated() {
            sample(Int(count), ["level": "\(level)"])
        }
        gauge(
            "relation_store_write_buffer_bytes",
            "Bytes of new rows in memtables, which no SST file has yet.", gauges.writeBufferBytes)
        gauge(
            "relation_store_full_write_buffers",
            "Full memtables that wait to be flushed.", gauges.fullWriteBuffers)
        gauge(
            "relation_store_block_cache_bytes", "Bytes of blocks of rows in memory.",
            gauges.cacheBytes)
        gauge(
            "relation_store_block_cache_max_bytes", "Bytes that these blocks may take.",
            gauges.cacheMostBytes)
        gauge(
            "relation_store_index_bytes", "Bytes of filters and indexes of open files.",
            gauges.indexBytes)
        gauge(
            "relation_store_running_flushes", "Buffers that are being written out.",
            gauges.runningFlushes)
        gauge(
            "relation_store_running_compactions", "Merges of files that are under way.",
            gauges.runningCompactions)
        gauge(
            "relation_store_pending_compaction_bytes",
            "Bytes that wait for compaction, as the engine estimates.",
            gauges.pendingCompactionBytes)
        gauge(
            "relation_store_snapshots", "Snapshots of the store that are kept for readers.",
            gauges.snapshots)
        family("relation_store_commits_total", .counter, "Batches that the engine has written.")
        sample(Int(gauges.commits))
        addStalls(gauges)
        gauge(
            "relation_store_reserve_bytes",
            "Free bytes below which writes are refused with DISK_LOW.",
            Int64(clamping: gauges.reserveBytes))
        family(
            "relation_store_free_bytes", .gauge, "Free bytes on the device of the data folder.")
        if let free = gauges.freeBytes { sample(free) }
    }

    /// Adds the numbers of a database that servers share.
    private mutating func addDatabase(_ gauges: NetworkGauges) {
        family(
            "relation_database_round_trips_total", .counter,
            "How often a thread waited for an answer of the database.")
        sample(gauges.roundTrips)
        family(
            "relation_database_connects_total", .counter, "Connections that were made.")
        sample(gauges.connects)
        family(
            "relation_database_reruns_total", .counter,
            "Transactions that ran again, because they lost a race or their connection.")
        sample(gauges.reruns)
        family(
            "relation_database_settled_total", .counter,
            "Commits whose answer was lost, and that were looked up.")
        sample(gauges.settled)
        family(
            "relation_database_connections_used", .gauge, "Connections in use, by their kind.")
        for pool in gauges.pools { sample(pool.used, ["pool": pool.name]) }
        family("relation_database_connections_max", .gauge, "Connections that may be in use.")
        for pool in gauges.pools { sample(pool.most, ["pool": pool.name]) }
        if let standbys = gauges.standbys { addStandbys(standbys) }
    }

    private mutating func addStandbys(_ gauges: NetworkGauges.Standbys) {
        gauge("relation_database_standbys", "Standbys that store-read names.", Int64(gauges.count))
        gauge(
            "relation_database_standbys_paused",
            "Standbys that have failed since they last took a read.",
            Int64(gauges.paused))
        family(
            "relation_database_long_reads_total", .counter,
            "Exports, checks, streams and searches that began, by the server of their snapshot.")
        sample(gauges.reads, ["place": "standby"])
        sample(gauges.primaryReads, ["place": "primary"])
        family(
            "relation_database_standby_reads_total", .counter,
            "Ordinary reads for which standbys were asked, by outcome.")
        sample(gauges.answered, ["outcome": "answered"])
        sample(gauges.behind, ["outcome": "behind"])
        sample(gauges.away, ["outcome": "away"])
    }

    /// Adds the time from a commit on any server until this one reads its events.
    mutating func addFeed(_ lags: HistogramReading) {
        family(
            "relation_feed_lag_seconds", .histogram,
            "From the time of an event, by the clock of its server, until this one has read it.")
        histogram(lags, unit: 1e9)
    }

    /// Adds the time for which this server may still answer by what it knows.
    private mutating func addLease(remaining nanoseconds: UInt64) {
        family(
            "relation_lease_remaining_seconds", .gauge,
            "How long this server may still rely on the apps and keys that it knows; 0 without "
                + "a lease.")
        seconds(ofNanoseconds: nanoseconds)
    }

    private mutating func addStalls(_ gauges: StoreGauges) {
        gauge(
            "relation_store_writes_stopped", "1 while the engine accepts no write.",
            gauges.isStopped ? 1 : 0)
        gauge(
            "relation_store_delayed_write_bytes_per_second",
            "The rate to which the engine limits writes; 0 for no limit.",
            gauges.delayedBytesPerSecond)
        family(
            "relation_store_stalls_total", .counter,
            "How often the engine stalled writes, by its name for the cause.")
        for stall in gauges.stalls { sample(stall.count, ["cause": stall.cause]) }
    }

    private mutating func addBackups(_ gauges: BackupGauges, everySeconds: Int) {
        gauge("relation_backups", "Backups that are whole.", Int64(gauges.count))
        gauge("relation_backup_bytes", "Bytes of the newest backup.", gauges.newestBytes)
        family(
            "relation_backup_last_success_timestamp_seconds", .gauge,
            "When the newest backup was made, in seconds since 1970; 0 if there is none.")
        sample(Int((gauges.newestMs ?? 0) / 1_000))
        gauge(
            "relation_backup_interval_seconds",
            "The age at which the newest backup is too old; 0 if only calls make backups.",
            Int64(everySeconds))
        gauge(
            "relation_backup_under_way", "1 while a backup is being made.",
            gauges.isUnderWay ? 1 : 0)
        family("relation_backup_failures_total", .counter, "Backups that failed.")
        sample(gauges.failures)
    }

    mutating func addWatch(_ counts: WatchCounts) {
        gauge("relation_watch_streams", "Streams of changes that are open.", Int64(counts.streams))
        gauge(
            "relation_watch_streams_max", "Streams of changes that may be open.",
            Int64(counts.streamBound))
        gauge(
            "relation_watch_waiting_events", "Events that wait for the hub of the streams.",
            Int64(counts.waitingEvents))
        gauge(
            "relation_watch_waiting_events_max",
            "Events that may wait; beyond this the hub drops all, and streams read the store.",
            Int64(counts.waitingEventBound))
        family("relation_watch_events_total", .counter, "Events that came while streams were open.")
        sample(counts.events)
        family(
            "relation_watch_overflows_total", .counter,
            "How often the hub dropped events because too many waited.")
        sample(counts.overflows)
        family(
            "relation_watch_behind_total", .counter,
            "How often a stream fell behind, and read from the store what it had missed.")
        sample(counts.behind)
        family(
            "relation_watch_resyncs_total", .counter,
            "How often a stream began with the present state because its token was too old.")
        sample(counts.resyncs)
        family(
            "relation_watch_fenced_total", .counter,
            "How often a stream ended because another reader has its consumer.")
        sample(counts.fenced)
        family(
            "relation_watch_lag_seconds", .histogram,
            "From a commit until its events are on their way to the streams.")
        histogram(counts.lags, unit: 1e9)
    }

    private mutating func gauge(_ name: String, _ help: String, _ value: Int64) {
        family(name, .gauge, help)
        sample(Int(value))
    }
}
