internal import CRocksDB
internal import Glibc
internal import Storage

/// Reads many keys in one call of the engine, through buffers that live from one read to the next.
///
/// Keys are staged, fetched together, read, and cleared; until then the engine lends the values out
/// of its blocks. If a read may go to the disk, the keys are one batch to the engine. The engine
/// sorts them if they are not sorted, and looks into each level once.
///
/// - Important: Belongs to the thread that runs its transaction.
final class PointReader {
    private let database: RocksDatabase
    /// The engine's read options, with the snapshot of the transaction if it has one.
    let options: OpaquePointer

    private let keys: UnsafeMutablePointer<UnsafePointer<CChar>?>
    private let sizes: UnsafeMutablePointer<Int>
    private let values: UnsafeMutablePointer<OpaquePointer?>
    private let errors: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    private var reach = Reach.disk
    private var count = 0
    private var isSorted = true

    init(_ database: RocksDatabase) {
        self.database = database
        options = rocksdb_readoptions_create()
        // This costs nothing after a block is cached, and finds every broken block.
        rocksdb_readoptions_set_verify_checksums(options, 1)
        keys = .allocate(capacity: Limits.keysPerRead)
        sizes = .allocate(capacity: Limits.keysPerRead)
        values = .allocate(capacity: Limits.keysPerRead)
        errors = .allocate(capacity: Limits.keysPerRead)
        values.initialize(repeating: nil, count: Limits.keysPerRead)
        errors.initialize(repeating: nil, count: Limits.keysPerRead)
    }

    deinit {
        clear()
        rocksdb_readoptions_destroy(options)
        keys.deallocate()
        sizes.deallocate()
        values.deallocate()
        errors.deallocate()
    }

    func setReach(_ reach: Reach) {
        self.reach = reach
        rocksdb_readoptions_set_read_tier(options, reach.tier)
    }

    var isFull: Bool { count == Limits.keysPerRead }

    /// Adds a key to the next fetch.
    ///
    /// - Important: Its bytes must stay where they are until ``fetch()`` has returned.
    func stage(_ key: UnsafeRawBufferPointer) {
        precondition(!isFull, "more keys staged than one read takes")
        // A key is never empty: it begins with its partition.
        let bytes = key.baseAddress!.assumingMemoryBound(to: CChar.self)
        if count > 0, isSorted { isSorted = !precedes(key, count - 1) }
        keys[count] = bytes
        sizes[count] = key.count
        count += 1
    }

    /// Reads the staged keys.
    ///
    /// If it throws, no key is staged any more.
    func fetch() throws(StorageError) {
        // The engine's batched read is wrong if it may not read files (7.8): it can report a key
        // whose block is not cached as missing. Its single read answers "incomplete".
        if count == 1 || reach == .memory {
            for index in 0..<count {
                values[index] = rocksdb_get_pinned_cf(
                    database.raw, options, database.family, keys[index], sizes[index],
                    &errors[index])
                if errors[index] != nil { break }
            }
        } else if count > 1 {
            rocksdb_batched_multi_get_cf(
                database.raw, options, database.family, count, keys, sizes, values, errors,
                isSorted)
        }
        var failure: StorageError?
        for index in 0..<count {
            if let error = EngineError.take(&errors[index]), failure == nil { failure = error }
        }
        if let failure {
            clear()
            throw failure
        }
    }

    /// The value of the key staged at `index`, or nil; valid until ``clear()``.
    func value(at index: Int) -> UnsafeRawBufferPointer? {
        guard let slice = values[index] else { return nil }
        var size = 0
        let bytes = rocksdb_pinnableslice_value(slice, &size)
        return UnsafeRawBufferPointer(start: bytes, count: size)
    }

    /// Gives the values back to the engine, and forgets the staged keys.
    func clear() {
        for index in 0..<count {
            if let slice = values[index] {
                rocksdb_pinnableslice_destroy(slice)
                values[index] = nil
            }
        }
        count = 0
        isSorted = true
    }

    /// Whether `key` sorts before the key that is staged at `index`.
    private func precedes(_ key: UnsafeRawBufferPointer, _ index: Int) -> Bool {
        let order = memcmp(key.baseAddress!, keys[index]!, min(key.count, sizes[index]))
        return order != 0 ? order < 0 : key.count < sizes[index]
    }
}
