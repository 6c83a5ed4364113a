/// The rule by which a new app gets its database.
///
/// It goes where the cost is least. The cost of a database is the number of its rows, as the
/// database estimates them, and ``DirectoryLimits/rowsOfNewApp`` more for each app that is placed
/// there. So new apps spread before they have rows, and keep away from the database of a large one.
/// Of two with the same cost it is the first by name.
package enum DatabaseChoice {
    /// A database that may take the app.
    package struct Candidate: Equatable, Sendable {
        package var name: String
        package var apps: Int
        /// An estimate; 0 if there is none yet.
        package var rows: Int64

        package init(name: String, apps: Int, rows: Int64) {
            self.name = name
            self.apps = apps
            self.rows = rows
        }

        package var cost: Int64 { max(0, rows) + Int64(apps) * DirectoryLimits.rowsOfNewApp }
    }

    /// The name of the database for a new app; nil if there is no candidate.
    package static func best(of candidates: [Candidate]) -> String? {
        candidates.min { ($0.cost, $0.name) < ($1.cost, $1.name) }?.name
    }
}
