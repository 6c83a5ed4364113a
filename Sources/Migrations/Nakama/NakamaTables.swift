package import TextFiles

/// The tables of Nakama that have relations, and the custom fields that take their other values.
package struct NakamaTables: Sendable {
    let users: DumpFile
    let edges: DumpFile
    let keys: Keys

    /// The custom fields that take values for which there is no field; empty for none.
    package struct Keys: Sendable {
        let userMetadata: String
        let userTimezone: String
        let friendMetadata: String

        package init(userMetadata: String, userTimezone: String, friendMetadata: String) {
            (self.userMetadata, self.userTimezone) = (userMetadata, userTimezone)
            self.friendMetadata = friendMetadata
        }
    }

    /// - Throws: ``MigrationError`` if a table lacks a column that it needs.
    package init(users: InputFile, edges: InputFile, _ keys: Keys) throws {
        self.users = try DumpFile(table: users, needing: ["id", "username", "create_time"])
        self.edges = try DumpFile(
            table: edges, needing: ["source_id", "destination_id", "state", "update_time"])
        self.keys = keys
    }
}
