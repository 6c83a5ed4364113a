/// The state of a fleet's databases, for an operator.
package struct FleetReading: Sendable {
    package struct Database: Sendable {
        package let name: String
        /// Why its apps are not served; nil if they are.
        package let trouble: String?
        package let apps: Int
        /// An estimate; 0 before there is one.
        package let rows: Int64
    }

    /// Home first, and the others in the order of their names.
    package let databases: [Database]
    /// The version of the directory that this server has; -1 before it has any.
    package let version: Int64
    /// Whether the last look at the directory has failed.
    package let isStale: Bool

    /// The words for the databases that are away; nil if none is.
    package var away: String? {
        let words = databases.compactMap { database in
            database.trouble.map { "\(database.name): \($0)" }
        }
        return words.isEmpty ? nil : words.joined(separator: "; ")
    }

    /// Whether no app at all is served.
    package var isAllAway: Bool { databases.allSatisfy { $0.trouble != nil } }
}
