package import RelationModel
package import Storage

/// The reports of one call, on their way to all servers of a store.
package struct SharedReports: Sendable {
    let reports: [PresenceBoard.Report]
    let app: UInt32
    /// When they arrived.
    let now: Timestamp
    /// Whether the caller still waits: a report that its caller has given up must not come after a
    /// later one.
    let isWanted: @Sendable () -> Bool
    /// Learns that every server takes them before any report that is sent from now on, or why not.
    let done: @Sendable (StorageError?) -> Void

    package init(
        _ reports: [PresenceBoard.Report], app: UInt32, at now: Timestamp,
        while isWanted: @escaping @Sendable () -> Bool,
        done: @escaping @Sendable (StorageError?) -> Void
    ) {
        self.reports = reports
        self.app = app
        self.now = now
        self.isWanted = isWanted
        self.done = done
    }
}
