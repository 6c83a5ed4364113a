/// Where a store keeps its backups, and how many.
package struct BackupOptions: Sendable {
    /// The folder; on the device of the data folder a backup takes little room.
    package var folder: String
    /// The newest backups that are kept.
    package var kept: Int
    /// The version of the program, which each backup holds.
    package var version: String

    package init(folder: String, kept: Int, version: String = "") {
        self.folder = folder
        self.kept = kept
        self.version = version
    }
}
