package import RelationModel

/// The rows and the events that a write makes, as a dry run tells them.
package struct WrittenEffects: Equatable, Sendable {
    /// A row that is another one after the write.
    package struct Row: Equatable, Sendable {
        /// The app of the row; 0 for the registry of apps.
        package var app: UInt32 = 0
        /// The name of its table.
        package var table = ""
        /// The user whose row it is; empty for a row of the app as a whole.
        package var owner = ""
        /// The rest of its key in words; empty if the owner has one such row.
        package var key = ""
        /// Whether the write removes the row.
        package var isDeleted = false
        /// The bytes of its key and its value; of its key alone, if it is removed.
        package var bytes: Int64 = 0
    }

    /// An event that the write makes.
    package struct Event: Equatable, Sendable {
        /// The user in whose log it is, or whom an event of the feed alone is about.
        package var user = ""
        /// Its sequence in that log; 0 for an event of the feed alone.
        package var sequence: Int64 = 0
        package var kind = ChangeKind.unspecified
        package var items: Int64 = 0
        /// Its position in the feed of the app.
        package var position: Int64 = 0
    }

    /// The first rows, in the order in which the write touches them.
    package var rows: [Row] = []
    /// The first events, in the order of their positions.
    package var events: [Event] = []
    /// All rows, those included that ``rows`` leaves out.
    package var rowCount: Int64 = 0
    /// Their bytes.
    package var rowBytes: Int64 = 0
    /// All events.
    package var eventCount: Int64 = 0

    /// Whether there are more rows or events than are listed.
    package var isCut: Bool {
        rowCount > Int64(rows.count) || eventCount > Int64(events.count)
    }
}
