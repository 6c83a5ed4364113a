/// The state of a store, as far as the engine reports it: what an operator watches.
package struct StoreGauges: Equatable, Sendable {
    package var rows: Int64 = 0
    package var diskBytes: Int64 = 0
    /// Files of rows on each level of the engine.
    package var filesByLevel: [Int64] = []
    /// New rows in memory that are not in a file of rows yet.
    package var writeBufferBytes: Int64 = 0
    /// Full buffers that wait to be written out, or are being written.
    package var fullWriteBuffers: Int64 = 0
    package var cacheBytes: Int64 = 0
    package var cacheMostBytes: Int64 = 0
    /// Filters and indexes of open files.
    package var indexBytes: Int64 = 0
    package var runningFlushes: Int64 = 0
    package var runningCompactions: Int64 = 0
    package var pendingCompactionBytes: Int64 = 0
    /// Whether the engine lets no write in.
    package var isStopped = false
    /// Bytes a second to which the engine holds writes; 0 for no bound.
    package var delayedBytesPerSecond: Int64 = 0
    /// How often the engine stalled writes, by its name for the cause.
    package var stalls: [Stall] = []
    /// Snapshots that are kept for readers.
    package var snapshots: Int64 = 0
    package var commits: Int64 = 0
    /// Free bytes on the device; nil if the system does not say.
    package var freeBytes: UInt64?
    /// The free bytes below which writes are refused.
    package var reserveBytes: UInt64 = 0

    /// The numbers of a store over a network; nil if the store is in this process.
    package var network: NetworkGauges?

    /// How often the engine has held writes up for one cause.
    package struct Stall: Equatable, Sendable {
        package var cause: String
        package var count: UInt64

        package init(cause: String, count: UInt64) {
            self.cause = cause
            self.count = count
        }
    }

    package init() {}
}
