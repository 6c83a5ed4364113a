package import Backups

/// The backups that an engine keeps in files of its own.
///
/// A backup is a whole store as it was at one read version. It is made while the store is read and
/// written.
package protocol StoreBackups: AnyObject, Sendable {
    /// The backups that are whole, the oldest first.
    var all: [BackupEntry] { get }

    /// The counts and times of the backups.
    var gauges: BackupGauges { get }

    /// Begins a backup; nil if another one is under way.
    ///
    /// One whose maker has done nothing for ``BackupLimits/idleMilliseconds`` is given up for it.
    ///
    /// - Parameters:
    ///   - nowMs: The time, for the name.
    ///   - count: Counts what the backup holds, for its manifest.
    func begin(
        at nowMs: Int64,
        counting count:
            @escaping @Sendable (any ReadTransaction) throws(StorageError) ->
            [BackupCounts]
    ) -> (any BackupMaking)?

    /// Reads bytes of a file of a whole backup; nil if there is no such backup or file.
    ///
    /// Fewer than `count` bytes end the file. The backup is not removed for
    /// ``BackupLimits/leaseMilliseconds`` after that.
    func read(
        _ path: String, of name: String, offset: Int64, count: Int, at nowMs: Int64
    ) throws(StorageError) -> [UInt8]?
}

/// A backup that is being made, step by step.
///
/// One thread at a time makes steps; any thread may give it up.
package protocol BackupMaking: AnyObject, Sendable {
    /// Does the next part; the first one writes the newest rows into files.
    ///
    /// - Throws: ``StorageError``; the backup is then given up. `diskLow`: there is too little
    ///   room.
    func step(at nowMs: Int64) throws(StorageError) -> BackupAdvance

    /// Removes what there is of it, unless it is whole.
    func abandon()
}

/// How far a backup has come.
package struct BackupAdvance: Equatable, Sendable {
    package var bytes: Int64 = 0
    package var allBytes: Int64 = 0
    /// The backup, once it is whole.
    package var entry: BackupEntry?

    package init() {}
}

/// A backup that is whole.
package struct BackupEntry: Equatable, Sendable {
    package let name: String
    package let timeMs: Int64
    package let bytes: Int64
    package let files: Int
    package let format: String
    package let version: String
    /// The SHA-256 of its manifest.
    package let sum: String

    package init(_ manifest: BackupManifest, sum: String) {
        name = manifest.name
        timeMs = manifest.timeMs
        bytes = manifest.bytes
        files = manifest.files.count
        format = manifest.format
        version = manifest.version
        self.sum = sum
    }
}

/// The counts and times of the backups of a store.
package struct BackupGauges: Equatable, Sendable {
    package var count = 0
    /// The bytes of the newest backup.
    package var newestBytes: Int64 = 0
    /// When the newest backup was made; nil if there is none.
    package var newestMs: Int64?
    package var failures = 0
    package var isUnderWay = false

    package init() {}
}
