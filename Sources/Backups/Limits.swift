/// The sizes that this room fixes.
package enum BackupLimits {
    /// The most bytes of a manifest: room for two hundred thousand files.
    package static let manifestBytes = 32 << 20

    /// The most bytes of a path in a backup; an archive's header has room for 100 with the name.
    package static let pathBytes = 64

    /// The most bytes of one file: as many as the header of an archive's entry can say.
    package static let fileBytes: Int64 = 1 << 33 - 1

    /// The bytes that are read, summed or written at a time.
    package static let pieceBytes = 1 << 20

    /// The bytes that one step of a backup sums.
    package static let stepBytes = 4 << 20

    /// How long a backup whose maker does nothing keeps others from beginning.
    package static let idleMilliseconds: Int64 = 60_000

    /// How long a backup is kept for a reader that has read of it.
    package static let leaseMilliseconds: Int64 = 600_000

    /// The most backups that a folder may have, whatever is set.
    package static let mostKept = 1_000
}
