internal import CRocksDB

/// The engine's own options, each with its reason.
///
/// They live until the database is open, because the database copies them.
///
/// These were tried and left out because they gained nothing: hash indexes in blocks, more cache
/// shards, pinned iterator blocks, pipelined and unordered writes, a log flushed by hand.
struct EngineOptions: ~Copyable {
    /// It is made in `init`, freed in `deinit`, and lent to the call that opens the database.
    let raw: OpaquePointer

    init(_ options: RocksOptions, createIfMissing: Bool) {
        raw = Self.insertingNearby(reservesBlocks: options.sync)
        rocksdb_options_set_create_if_missing(raw, createIfMissing ? 1 : 0)
        setSafety()
        setMemory(options)
        setLevels(options)
        setBackground(options)
        setBlocks(options)
        setEngineLog()
    }

    deinit {
        rocksdb_options_destroy(raw)
    }

    /// New options, by which a row that is written is searched for from the position of the last
    /// one on.
    ///
    /// The rows of a batch come in the order of their keys, so the next position is often near. The
    /// engine keeps one such position for each value of the first bytes, which are the app's
    /// number. Only text can set this option.
    ///
    /// A store that does not wait for the device does not reserve blocks for its files either. It
    /// may stand in memory, where 70 MB for the log would take 20 ms, and stay taken.
    private static func insertingNearby(reservesBlocks: Bool) -> OpaquePointer {
        let base = rocksdb_options_create()
        defer { rocksdb_options_destroy(base) }
        let made = rocksdb_options_create()
        var text: UnsafeMutablePointer<CChar>?
        rocksdb_get_options_from_string(
            base,
            "memtable_insert_with_hint_prefix_extractor=fixed:4"
                + (reservesBlocks ? "" : ";allow_fallocate=false"), made, &text)
        precondition(text == nil, "the engine does not know an option")
        return made!
    }

    private func setSafety() {
        // A broken file stops writes instead of being skipped.
        rocksdb_options_set_paranoid_checks(raw, 1)
        // A power cut may leave the pages of the last record, which was confirmed to no client, in
        // any order. The stricter modes then refuse to open. Every record before it has been
        // synced.
        rocksdb_options_set_wal_recovery_mode(raw, Int32(rocksdb_point_in_time_recovery))
        // fdatasync is enough: the size of the log must be durable, not its times.
        rocksdb_options_set_use_fsync(raw, 0)
        // With recycled logs, a store hung when it was reopened after kill -9.
        rocksdb_options_set_recycle_log_file_num(raw, 0)
    }

    private func setMemory(_ options: RocksOptions) {
        rocksdb_options_set_write_buffer_size(raw, options.writeBufferBytes)
        rocksdb_options_set_max_write_buffer_number(raw, Int32(options.writeBuffers))
        // Most pairs that are asked about are not rows. A filter with 2 % of the buffer answers
        // that without walking the buffer.
        rocksdb_options_set_memtable_prefix_bloom_size_ratio(raw, 0.02)
        rocksdb_options_set_memtable_whole_key_filtering(raw, 1)
        // One writer at a time, so the buffer need not allow for several.
        rocksdb_options_set_allow_concurrent_memtable_write(raw, 0)
    }

    private func setLevels(_ options: RocksOptions) {
        // The last level is full, and the others are sized from it. This writes 4 bytes to the
        // device for each byte stored, instead of 6.
        rocksdb_options_set_level_compaction_dynamic_level_bytes(raw, 1)
        rocksdb_options_set_max_bytes_for_level_base(raw, UInt64(options.levelBaseBytes))
        rocksdb_options_set_target_file_size_base(raw, UInt64(options.targetFileBytes))
        // Bounds the space that a merge needs beside the data; the reserve depends on it.
        rocksdb_options_set_max_compaction_bytes(raw, options.maxCompactionBytes)
        // Unpacking costs almost nothing, and half the bytes are saved.
        rocksdb_options_set_compression(raw, Int32(rocksdb_lz4_compression))
    }

    private func setBackground(_ options: RocksOptions) {
        rocksdb_options_set_max_background_jobs(raw, Int32(options.backgroundJobs))
        // One merge is the work of one thread; otherwise the reserve would have to count its parts.
        rocksdb_options_set_max_subcompactions(raw, 1)
        // It is refilled ten times a second; a fairness of 10 is the engine's default.
        let limiter = rocksdb_ratelimiter_create(
            Int64(options.backgroundBytesPerSecond), 100_000, 10)
        rocksdb_options_set_ratelimiter(raw, limiter)
        rocksdb_ratelimiter_destroy(limiter)
        // Merging yields to the threads that answer calls. Writing buffers out does not: if it
        // falls behind, commits wait for it.
        let environment = rocksdb_create_default_env()
        rocksdb_env_lower_thread_pool_cpu_priority(environment)
        rocksdb_env_destroy(environment)
        // Files go to the device in small pieces while they are written, and not all at their end.
        rocksdb_options_set_bytes_per_sync(raw, 1 << 20)
        // A reader that held the last reference to old files lets another thread delete them.
        rocksdb_options_set_avoid_unnecessary_blocking_io(raw, 1)
    }

    private func setBlocks(_ options: RocksOptions) {
        let blocks = rocksdb_block_based_options_create()
        defer { rocksdb_block_based_options_destroy(blocks) }
        let cache = rocksdb_cache_create_lru(options.blockCacheBytes)
        rocksdb_block_based_options_set_block_cache(blocks, cache)
        rocksdb_cache_destroy(cache)
        // This halves the index of blocks of 4 KiB; a page of friends is one or two of these
        // blocks.
        rocksdb_block_based_options_set_block_size(blocks, 16 << 10)
        // 1 % of the absent keys still cost a block. The block options own the policy.
        rocksdb_block_based_options_set_filter_policy(
            blocks, rocksdb_filterpolicy_create_bloom_full(10))
        rocksdb_block_based_options_set_whole_key_filtering(blocks, 1)
        // Filters and indexes stay in memory as long as their file is open, about 2 bytes a row.
        // They then need no look-up in the cache for each level that does not have a key.
        rocksdb_block_based_options_set_cache_index_and_filter_blocks(blocks, 0)
        rocksdb_options_set_max_open_files(raw, Int32(clamping: options.openFiles))
        // The newest layout that this release writes.
        rocksdb_block_based_options_set_format_version(blocks, 5)
        rocksdb_options_set_block_based_table_factory(raw, blocks)
    }

    /// The engine's own log, kept small: it is read only after an error.
    private func setEngineLog() {
        // 2: warnings and errors.
        rocksdb_options_set_info_log_level(raw, 2)
        rocksdb_options_set_max_log_file_size(raw, 4 << 20)
        rocksdb_options_set_keep_log_file_num(raw, 4)
        rocksdb_options_set_stats_dump_period_sec(raw, 0)
        rocksdb_options_set_stats_persist_period_sec(raw, 0)
    }
}
